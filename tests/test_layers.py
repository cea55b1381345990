"""The order of the packages, held against the code's imports."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "bots", "db", "ladder", "reports")
STOREYS = ("engine", "bots", "db", "ladder", "reports", "ladder.web", "ladder.cli")
"""Lowest first; nothing imports upwards."""
ROOMS: dict[str, str] = {
    "ladder": "",
    "ladder.match.process": "ladder",
    "ladder.match.specs": "ladder",
    "ladder.stats": "ladder",
    "ladder.match.game": "ladder ladder.match.process ladder.match.specs",
    "ladder.match.registry": "ladder ladder.match.game ladder.match.specs ladder.match.process",
    "ladder.match.openings": "ladder",
    "ladder.runs": (
        "ladder ladder.match.openings ladder.match.registry ladder.match.game ladder.match.specs ladder.match.process "
        "ladder.stats"
    ),
    "ladder.runs.cluster": (
        "ladder ladder.runs ladder.match.registry ladder.match.game ladder.match.specs ladder.match.process ladder.stats"
    ),
    "ladder.results.exchange": "ladder ladder.match.specs ladder.stats",
    "ladder.results.standings": "ladder ladder.stats ladder.results.exchange",
    "ladder.results.analysis": "ladder ladder.stats",
    "ladder.experiments.suite": (
        "ladder ladder.results.analysis ladder.runs ladder.match.registry ladder.match.game ladder.match.specs "
        "ladder.match.process ladder.stats"
    ),
    "ladder.experiments.gate": "ladder ladder.runs ladder.results.standings ladder.stats",
    "ladder.experiments.bisect": (
        "ladder ladder.experiments.gate ladder.runs ladder.match.registry ladder.match.specs ladder.match.process ladder.stats"
    ),
    "ladder.experiments.select": "ladder ladder.experiments.gate ladder.runs ladder.stats",
    "ladder.tools.play": "ladder ladder.runs ladder.match.registry ladder.match.game ladder.match.specs ladder.match.process",
    "ladder.learning.c4ai": "ladder ladder.runs ladder.match.process",
    "ladder.learning.value": "ladder ladder.match.process",
    "ladder.experiments.tune": (
        "ladder ladder.experiments.gate ladder.runs ladder.match.registry ladder.match.game ladder.match.specs ladder.match.process "
        "ladder.stats"
    ),
    "ladder.tools.solve": "ladder",
    "ladder.tools.bench": "ladder ladder.runs ladder.match.game ladder.match.process ladder.match.specs",
    "ladder.tools.compete": "ladder ladder.match.registry ladder.match.game ladder.match.specs ladder.match.process",
    "ladder.tools.doctor": "ladder ladder.match.process ladder.stats",
    "ladder.results.overview": "ladder ladder.runs ladder.experiments.gate ladder.results.standings ladder.stats",
    "ladder.web": "ladder ladder.results.overview ladder.runs ladder.experiments.gate ladder.results.standings ladder.tools.play "
    "ladder.match.registry ladder.match.game ladder.match.process ladder.match.specs ladder.results.analysis",
    "ladder.cli": "*",
    "db": "",
    "db.records": "db",
    "db.backends.place": "db",
    "db.backends": "db db.backends.place",
    "db.migrations": "db db.backends",
    "db.connection": "db db.backends.place db.backends db.migrations",
    "db.derived": "db db.connection db.records",
    "db.queries": "db db.connection db.derived db.records",
    "db.store": "db db.backends.place db.backends db.connection db.queries db.records",
    "bots.uct": "",
    "bots.uct.array": "bots.uct",
    "bots.uct.tree": "bots.uct",
    "bots.uct.graph": "bots.uct",
    "bots.uct.no_lookahead": "bots.uct bots.uct.tree",
    "bots.learned": "bots.uct bots.uct.tree",
}
"""What each room may import of its own package besides itself; docs/architecture.md shows the same.

A module that stands in the table, such as `db.store`, is a room of its own.
"""
BORDER = {"ladder": ("db", "db.store", "db.records"), "reports": ("db", "db.records")}
"""What other packages may know of `db`."""
HEAVY = {
    "numpy", "numba", "scipy", "sqlalchemy", "alembic", "rich", "msgspec", "altair", "jinja2",
    "vl_convert", "starlette", "uvicorn", "dask", "distributed", "cryptography",
}  # fmt: skip
"""What makes `ladder --help` slow; the command modules may import it only inside functions."""


def modules() -> list[Path]:
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def room_of(module: str) -> str:
    """The longest name in the table that holds a module."""
    while module not in ROOMS and "." in module:
        module = module.rpartition(".")[0]
    return module


@lru_cache(maxsize=1)
def graph() -> dict[str, set[str]]:
    """Which module imports which, also inside functions."""
    names = {name_of(path): path for path in modules()}
    found: dict[str, set[str]] = {name: set() for name in names}
    for name, path in names.items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found[name] |= {alias.name for alias in node.names} & names.keys()
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    found[name] |= {whole if whole in names else str(node.module)} & names.keys()
        found[name].discard(name)
    return found


def storey(module: str) -> int:
    high = next((name for name in ("ladder.web", "ladder.cli") if module.startswith(name)), None)
    return STOREYS.index(high or module.split(".")[0])


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


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_imports_upwards(package: str) -> None:
    """A package may import only packages of its own storey and below."""
    for path in (ROOT / package).rglob("*.py"):
        own = name_of(path)
        for name, line in imports(path):
            if name.split(".")[0] in PACKAGES:
                assert storey(name) <= storey(own), f"{path}:{line} imports {name} from above"
            assert name.split(".")[0] != "tests", f"{path}:{line} imports a test"


@pytest.mark.parametrize("package", PACKAGES)
def test_rooms_import_along_the_arrows(package: str) -> None:
    """A room may import only itself, the rooms that its arrows name, and lower packages."""
    for own, imported in graph().items():
        if own.split(".")[0] != package:
            continue
        room = room_of(own)
        for name in imported:
            other = room_of(name)
            if room in ROOMS and other in ROOMS and name.split(".")[0] == package:
                arrows = ROOMS[room].split()
                assert other == room or other in arrows or arrows == ["*"], f"{own} imports {name}"
            if name.split(".")[0] == "db" != package and not own.startswith("ladder.cli"):
                assert other in BORDER.get(package, ()), f"{own} imports {name}"


def test_no_circle_of_imports() -> None:
    """No module may import itself by way of others, not even inside a function."""
    TopologicalSorter(graph()).prepare()  # raises CycleError, which names the circle


def test_no_arrow_leads_round_in_a_circle() -> None:
    """The table of rooms itself must have an order."""
    TopologicalSorter(
        {room: set(arrows.split()) - {"*"} for room, arrows in ROOMS.items()}
    ).prepare()


MOST_MODULES = 16
"""Modules that a folder may hold; with more of them it wants rooms."""
LISTS = {"ladder/cli/commands", "reports", "db/queries"}
"""One file for each command, or for each kind of stored thing, under its word: the folder's listing
is theirs."""


def test_rooms_are_small() -> None:
    """A folder with many modules hides them; in a list of the commands each name is known."""
    for folder in {path.parent for path in modules()}:
        names = {path.stem for path in folder.glob("*.py")} - {"__init__"}
        assert len(names) <= MOST_MODULES or str(folder.relative_to(ROOT)) in LISTS, folder


def test_a_report_has_the_word_of_its_command() -> None:
    """Every module and room of the reports but what they share must be called as a command is."""
    commands = {path.stem for path in (ROOT / "ladder/cli/commands").glob("*.py")}
    reports = {path.stem for path in (ROOT / "reports").iterdir() if path.name[0] != "_"}
    assert reports <= commands | {"layout", "html"}


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


def test_a_report_loads_no_compiler() -> None:
    """The mistakes that `ladder report` prints are read without the solver and its compiler."""
    words = "import sys, ladder.results.analysis.division; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", words], cwd=ROOT, check=False).returncode == 0
