"""The layers of the program, checked against the imports in its code."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "bots", "db", "ladder", "reports")
LAYERS: dict[str, str] = {
    "engine": "",
    "bots": "engine",
    "db": "engine bots",
    "ladder": "engine db",
    "ladder.stats": "db ladder",
    "ladder.match": "* -ladder.stats",
    "ladder.registry": "*",
    "ladder.openings": "* -ladder.registry",
    "ladder.runs": "*",
    "ladder.results": "*",
    "ladder.experiments": "*",
    "ladder.learning": "* -ladder.experiments",
    "ladder.tools": "* -ladder.learning",
    "ladder.queue": "* -ladder.learning",
    "reports": "*",
    "ladder.web": "* -ladder.learning",
    "ladder.cli": "*",
}
"""Allowed imports of each layer, lowest layer first; docs/architecture.md shows the same table.

`*` allows every layer above it in this table, `-NAME` takes one out. A module belongs to the
longest name that it starts with, so `ladder` holds only the modules directly in that folder.
"""
PUBLIC_DB = ("db", "db.errors", "db.companion_files", "db.store", "db.records")
"""What other packages may import of `db`; `ladder.cli` all of it."""
RECORDS_ONLY = ("ladder.match", "reports")
"""Layers that import only records: who plays needs no store, and who shows makes no queries."""
HEAVY = {
    "numpy", "numba", "scipy", "sqlalchemy", "alembic", "rich", "msgspec", "jinja2",
    "vl_convert", "starlette", "uvicorn", "dask", "distributed", "cryptography",
}  # fmt: skip
"""What makes `ladder --help` slow; the command modules may import it only inside functions."""


def modules(*folders: str) -> list[Path]:
    return sorted(path for folder in folders or PACKAGES for path in (ROOT / folder).rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def layer_of(module: str) -> str:
    """Return the longest name in the table that the module starts with."""
    while module not in LAYERS:
        module = module.rpartition(".")[0]
    return module


def allowed_imports(layer: str) -> set[str]:
    """Return the layers that a layer may import, itself included."""
    names = list(LAYERS)
    allowed = {layer}
    for word in LAYERS[layer].split():
        if word == "*":
            allowed |= set(names[: names.index(layer)])
        elif word.startswith("-"):
            allowed.remove(word[1:])
        else:
            allowed.add(word)
    return allowed


@lru_cache(maxsize=1)
def graph() -> dict[str, set[str]]:
    """Return which module imports which, also inside functions."""
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


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Yield every module that a file imports, also inside functions, with its line."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            if node.level and path.parent.name == "foreign":  # a package of its own, see there
                continue
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute here"
            assert node.module is not None
            yield node.module, node.lineno


def test_the_table_names_every_layer_once_and_lowest_first() -> None:
    """Allowed imports must point to layers above in the table: there is one direction."""
    names = list(LAYERS)
    for layer in names:
        assert allowed_imports(layer) <= set(names[: names.index(layer) + 1]), layer
    folders = {name_of(path) for path in (ROOT / "ladder").glob("*/__init__.py")}
    assert folders == {name for name in names if name.startswith("ladder.")}


@pytest.mark.slow
@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_imports_only_what_the_table_allows(layer: str) -> None:
    """A module may import only its own layer and those that the table allows."""
    allowed = allowed_imports(layer)
    for module, imported in graph().items():
        if layer_of(module) == layer:
            for name in imported:
                assert layer_of(name) in allowed, f"{module} imports {name}"


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_no_program_module_imports_a_test(package: str) -> None:
    """The program must work without the tests."""
    for path in modules(package):
        for name, line in imports(path):
            assert name.split(".")[0] not in ("tests", "benchmarks"), f"{path}:{line}"


@pytest.mark.slow
def test_the_database_is_reached_through_its_public_modules() -> None:
    """Other packages must use the store and the records, and reports the records alone."""
    for module, imported in graph().items():
        if module.split(".")[0] == "db" or layer_of(module) == "ladder.cli":
            continue
        public = ("db", "db.records") if layer_of(module) in RECORDS_ONLY else PUBLIC_DB
        for name in imported:
            if name.split(".")[0] == "db":
                assert ".".join(name.split(".")[:2]) in public, f"{module} imports {name}"


def test_no_module_imports_itself_through_others() -> None:
    """Imports must have an order, those inside functions and those of parent packages included."""
    whole = {}
    for module, imported in graph().items():
        parents = {
            ".".join(name.split(".")[:length])
            for name in imported
            for length in range(1, name.count(".") + 1)
        }
        own = {parent for parent in parents if f"{module}.".startswith(f"{parent}.")}
        whole[module] = imported | (parents - own)
    TopologicalSorter(whole).prepare()  # raises CycleError, which names the cycle


def test_the_parts_of_every_package_have_an_order() -> None:
    """The modules and sub-packages of a package must not import one another in a cycle."""
    parts: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for module, imported in graph().items():
        for name in imported:
            here, there = module.split("."), name.split(".")
            shared = next(
                (at for at, (a, b) in enumerate(zip(here, there, strict=False)) if a != b),
                min(len(here), len(there)),
            )
            if shared and layer_of(module) == layer_of(name):
                package = ".".join(here[:shared])
                parts[package][".".join(here[: shared + 1])].add(".".join(there[: shared + 1]))
    for package, edges in parts.items():
        for part in edges.values():
            part.discard(package)  # its `__init__`
        TopologicalSorter(edges).prepare()


FILE_MODULES = {"os", "pathlib", "io", "tempfile", "shutil", "glob", "mmap", "fcntl", "pickle"}
WITH_FILES = {
    "engine.cache",
    "engine.code_cache",
    "engine.kernel_keys",
    "engine.solver.book",
    "engine.whole_file",
}
"""Modules of the engine that read or write files: the cache of kernels, and the solver's books."""


def test_the_engine_does_no_input_or_output_and_reads_no_clock() -> None:
    """The game must not use global random numbers either; only named modules use files."""
    forbidden = {"time", "random", "socket", "subprocess", "datetime", "sqlite3"}
    found: dict[str, set[str]] = defaultdict(set)
    for path in modules("engine"):
        for name, line in imports(path):
            top = name.split(".")[0]
            assert top not in forbidden, f"{path}:{line} imports {name}"
            if top in FILE_MODULES:
                found[name_of(path)].add(top)
    assert found.keys() == WITH_FILES, found


WALL_CLOCK = {
    # moments that are stored or shown
    "db.queries.bots", "db.queries.divisions", "db.queries.importer", "db.queries.pairs",
    "db.queries.queue", "db.queries.runs", "ladder.match.game.referee", "ladder.tools.play.game",
    "reports.bots", "reports.findings.finding", "reports.html.page",
    # what users name by the clock on their wall; a worker waits by its loop's clock until then
    "ladder.moments", "ladder.runs.cluster.serving",
    # the age of a file
    "bots.old_kernels", "ladder.cli.commands.gate", "ladder.registry.specs.archive",
    # the speed of another process's run, by its stored games (test_pace.py)
    "ladder.results.pages",
}  # fmt: skip
"""Modules that read the clock which a user or the network may set, at any moment."""


def test_durations_and_deadlines_are_measured_by_a_clock_that_no_one_sets() -> None:
    """A step of the wall clock must not change a time limit, a charge or an estimate."""
    reading = re.compile(
        r"\btime\.time(_ns)?\b|\bdatetime\.(now|utcnow|today)\b|from time import .*\btime\b"
    )
    readers = {name_of(path) for path in modules() if reading.search(path.read_text())}
    assert readers == WALL_CLOCK


@pytest.mark.slow
def test_help_imports_nothing_heavy() -> None:
    """`ladder --help` and completions of its commands must load no command."""
    code = (
        "import sys, ladder.cli.app; "
        "root = ladder.cli.app.parser(); "
        "context = root.make_context('ladder', [], resilient_parsing=True); "
        "root.get_help(context); "
        "assert len(root.shell_complete(context, 'r')) == 5; "
        f"print([name for name in {sorted(HEAVY)} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_a_report_loads_no_compiler() -> None:
    """The mistakes that `ladder report` prints are read without the solver and its compiler."""
    words = "import sys, ladder.results.analysis.division; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", words], cwd=ROOT, check=False).returncode == 0
