"""Writes the table of layers in docs/architecture.md: ``python -m tests.tools.packages_table``."""

import ast

from tests.test_layers import LAYERS
from tests.tools.generated import ROOT, with_generated

PAGE = ROOT / "docs" / "architecture.md"


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
    return with_generated(PAGE.read_text(), "layers", table())


if __name__ == "__main__":
    PAGE.write_text(page())
