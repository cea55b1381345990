"""The order of the packages, held against the code's imports."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STOREYS = ("engine", "bots", "db", "ladder", "reports", "ladder.cli")
"""Lowest first; nothing imports upwards."""
HEAVY = {"numpy", "numba", "scipy", "sqlalchemy", "alembic", "rich", "msgspec"}
"""What makes `ladder --help` slow; the command modules may import it only inside functions."""


def modules() -> list[Path]:
    packages = ("engine", "bots", "db", "ladder", "reports")
    return sorted(path for package in packages for path in (ROOT / package).rglob("*.py"))


def storey(module: str) -> int:
    name = "ladder.cli" if module.startswith("ladder.cli") else module.split(".")[0]
    return STOREYS.index(name)


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Every module that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute here"
            assert node.module is not None
            yield node.module, node.lineno
            if node.module in ("ladder", "bots"):
                for alias in node.names:
                    yield f"{node.module}.{alias.name}", node.lineno


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_imports_upwards(path: Path) -> None:
    """A package may import only packages of its own storey and below."""
    own = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for name, line in imports(path):
        if name.split(".")[0] in ("engine", "bots", "db", "ladder", "reports"):
            assert storey(name) <= storey(own), f"{path}:{line} imports {name} from above"
        assert name.split(".")[0] != "tests", f"{path}:{line} imports a test"


def test_the_engine_needs_no_outside_world() -> None:
    """The game must do no input or output, read no clock and use no global random numbers."""
    forbidden = {"time", "random", "socket", "subprocess", "datetime", "sqlite3"}
    for path in (ROOT / "engine").glob("*.py"):
        for name, line in imports(path):
            assert name.split(".")[0] not in forbidden, f"{path}:{line} imports {name}"


def test_only_the_command_line_prints() -> None:
    """Core, store and reports must return what is to be shown; hosts of bots speak on stdout."""
    for path in modules():
        if path.is_relative_to(ROOT / "ladder" / "cli") or path.is_relative_to(ROOT / "bots"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            called = node.func if isinstance(node, ast.Call) else None
            assert not (isinstance(called, ast.Name) and called.id == "print"), path


def test_help_imports_nothing_heavy() -> None:
    """`ladder --help` must answer at once, so the command modules import the rest when run."""
    code = (
        "import sys, ladder.cli.app; "
        f"print([name for name in {sorted(HEAVY)} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
