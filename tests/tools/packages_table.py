"""Writes the table of rooms in docs/architecture.md: ``python -m tests.tools.packages_table``."""

import ast
from pathlib import Path

from tests.test_layers import ROOMS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- rooms: begin -->\n", "<!-- rooms: end -->\n"


def table() -> str:
    """The rooms in the order of `ROOMS`: each folder's own sentence, and its arrows."""
    lines = ["| room | holds | imports besides |", "|---|---|---|"]
    for room, arrows in ROOMS.items():
        path = ROOT / room.replace(".", "/")
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        text = ast.get_docstring(ast.parse(file.read_text())) or ""
        sentence = " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")
        named = ", ".join(f"`{arrow}`" for arrow in arrows.split())
        lines.append(f"| `{room}` | {sentence} | {'all' if arrows == '*' else named} |")
    return "\n".join(lines) + "\n"


def page() -> str:
    """The page with a fresh table."""
    before, rest = PAGE.read_text().split(BEGIN)
    return before + BEGIN + table() + rest[rest.index(END) :]


if __name__ == "__main__":
    PAGE.write_text(page())
