"""Lines of code by package: ``python -m tests.tools.count_code [-v] [FOLDER...]``.

Blank lines, comments and docstrings do not count, except in tests.
"""

import ast
import io
import sys
import tokenize
from pathlib import Path

PACKAGES = ("engine", "bots", "db", "ladder", "ladder/*", "reports", "benchmarks")
DIVIDED = Path("ladder")
"""A package whose folders are counted apart."""
NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    tokenize.ENDMARKER,
}


def count(path: Path) -> int:
    """Return the lines of a module that hold code."""
    text, prose, code = path.read_text(), set[int](), set[int]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            prose |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            code |= set(range(token.start[0], token.end[0] + 1))
    return len(code - prose)


def main(*words: str) -> None:
    """Print a line per folder and the sum; with -v a line per module."""
    folders = [Path(word) for word in words if word != "-v"] or [
        each
        for pattern in PACKAGES
        for each in sorted(Path().glob(pattern))
        if any(each.glob("*.py"))
    ]
    total = modules = 0
    for folder in folders:
        inner = folder.glob("*.py") if folder == DIVIDED else folder.rglob("*.py")
        counts = {path: count(path) for path in sorted(inner)}
        if "-v" in words:
            print(*(f"{lines:7,} {path}" for path, lines in counts.items()), sep="\n")
        total, modules = total + sum(counts.values()), modules + len(counts)
        print(f"{sum(counts.values()):7,} in {len(counts):3} modules  {folder}")
    raw = sum(len(path.read_text().splitlines()) for path in Path("tests").rglob("*.py"))
    print(f"{total:7,} in {modules:3} modules; {raw:,} lines of tests")


if __name__ == "__main__":
    main(*sys.argv[1:])
