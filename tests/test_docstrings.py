"""Docstrings say on hover what a thing is: they begin with the thing, not with a pointer to it."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "bots", "db", "ladder", "reports")
POINTERS = re.compile(r"(The same|Same|As|Like|See|What|Whatever|Who|Whoever|It|Its|Ditto)\b")
"""First words that send the reader elsewhere, or stand in the place of a noun."""


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Those of modules, classes and functions, and the texts below fields and constants."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text is not None:
                yield node.body[0].lineno, text
            for field, below in pairwise(node.body):
                constant = below.value if isinstance(below, ast.Expr) else None
                if (
                    isinstance(field, ast.Assign | ast.AnnAssign)
                    and isinstance(constant, ast.Constant)
                    and isinstance(constant.value, str)
                ):
                    yield below.lineno, constant.value


def test_docstrings_begin_with_the_thing() -> None:
    """No docstring of the program may begin with a pointer or a pronoun."""
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text.splitlines()[0]}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for line, text in docstrings(ast.parse(path.read_text(encoding="utf-8")))
        if POINTERS.match(text)
    ]
    assert found == []
