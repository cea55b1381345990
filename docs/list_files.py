"""Writes the table of files in architecture.md from the first sentence of each file.

python docs/list_files.py            rewrite the table
python docs/list_files.py --check    only say whether it is up to date (exit code 1 if not)
"""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
PACKAGES = ("engine", "bots", "db", "ladder", "reports")
BEGIN, END = "<!-- files: begin -->\n", "<!-- files: end -->\n"


def table() -> str:
    """One heading a package and one line a file."""
    parts = []
    for package in PACKAGES:
        parts.append(f"### {package}\n\n| file | owns |\n|---|---|")
        for path in sorted((ROOT / package).rglob("*.py")):
            text = ast.get_docstring(ast.parse(path.read_text())) or ""
            first = " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")
            parts.append(f"| `{path.relative_to(ROOT)}` | {first} |")
        parts.append("")
    return "\n".join(parts)


def page() -> str:
    """The page with a fresh table."""
    before, rest = PAGE.read_text().split(BEGIN)
    return before + BEGIN + table() + rest[rest.index(END) :]


def main() -> int:
    """Write, or check."""
    if "--check" in sys.argv:
        return int(page() != PAGE.read_text())
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
