"""Only the command line spells options, because pages show the messages of all packages."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CLI = ROOT / "ladder" / "cli"
MODULES = [
    path
    for package in ("engine", "bots", "db", "ladder", "reports")
    for path in sorted((ROOT / package).rglob("*.py"))
    if not path.is_relative_to(CLI)
]
COMMAND = "ladder train value "
"""A whole command that is printed to be pasted."""
OPTION = re.compile(r"(^|[\s('\"])--[a-z]")


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each string that is no docstring, values as ``{}``."""
    prose, parts = set(), set()
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            prose |= {id(each.value) for each in body if isinstance(each, ast.Expr)}
        if isinstance(node, ast.JoinedStr):
            parts |= {id(each) for each in node.values}
            values = [
                each.value if isinstance(each, ast.Constant) else "{}" for each in node.values
            ]
            yield node.lineno, "".join(map(str, values))
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in prose | parts:
            yield node.lineno, node.value


@pytest.mark.slow
def test_messages_name_no_options() -> None:
    """An option may stand in a whole command in backticks; `UsageError.option` names others."""
    found = []
    for module in MODULES:
        source = module.read_text()
        if "--" not in source:  # most modules: parsing them all would take seconds
            continue
        for line, text in texts(ast.parse(source)):
            words = re.sub(r"`[^`]*`", "", text)
            if " " in text.strip() and COMMAND not in text and OPTION.search(words):
                found.append(f"{module.relative_to(ROOT)}:{line}: {text}")
    assert found == []
