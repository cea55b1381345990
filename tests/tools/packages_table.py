"""Writes the table of layers in docs/architecture.md: ``python -m tests.tools.packages_table``."""

import ast
from pathlib import Path

from tests.test_layers import LAYERS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- layers: begin -->\n", "<!-- layers: end -->\n"


def table() -> str:
    """Return one row per layer: its docstring and its allowed imports."""
    lines = ["| layer | holds | may import |", "|---|---|---|"]
    for layer, words in LAYERS.items():
        file = ROOT / layer.replace(".", "/") / "__init__.py"
        sentence = (ast.get_docstring(ast.parse(file.read_text())) or "").partition("\n")[0]
        lines.append(f"| `{layer}` | {sentence} | {_in_words(words)} |")
    return "\n".join(lines) + "\n"


def _in_words(words: str) -> str:
    named = ", ".join(f"`{word}`" for word in words.split() if word[0] not in "*-")
    without = ", ".join(f"`{word[1:]}`" for word in words.split() if word[0] == "-")
    if "*" not in words:
        return named
    return f"all above except {without}" if without else "all above"


def page() -> str:
    """Return the page with a fresh table."""
    before, rest = PAGE.read_text().split(BEGIN)
    return before + BEGIN + table() + rest[rest.index(END) :]


if __name__ == "__main__":
    PAGE.write_text(page())
