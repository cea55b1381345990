"""The distribution: what users install and rely on."""

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ladder.own_process import START

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "bots", "db", "ladder", "reports")
EXTRA = ("ladder/runs/cluster/", "db/backends/postgresql.py")
"""Sources that are loaded only where the extra `cluster` is installed."""


def test_constraints_are_names_and_exact_versions_only() -> None:
    """constraints.txt must pin every dependency and name no address."""
    lines = (ROOT / "constraints.txt").read_text().split()
    for line in lines:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", line), line
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [*project["project"]["dependencies"]]
    wanted += [
        each for extra in project["project"]["optional-dependencies"].values() for each in extra
    ]
    for group in project["dependency-groups"].values():
        wanted += [entry for entry in group if isinstance(entry, str)]
    for requirement in wanted:
        name = re.split(r"[<>=[]", requirement)[0].lower()
        assert name in pinned, f"{name} is not pinned"


def test_an_installation_without_tools_has_whatever_is_imported() -> None:
    """A module that only the tests' dependencies bring must not be needed to play."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    installed = _with_requirements(project["dependencies"])
    distributions = packages_distributions()
    missing = {
        (str(path.relative_to(ROOT)), name)
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if not str(path.relative_to(ROOT)).startswith(EXTRA)
        for name in _imported(ast.parse(path.read_text(encoding="utf-8")))
        if name in distributions
        and installed.isdisjoint(map(canonicalize_name, distributions[name]))
    }
    assert missing == set()


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_packages(tmp_path: Path) -> None:
    """Data, templates and scripts must be in it, and nothing of tests, docs or benchmarks."""
    code = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, tmp_path], cwd=ROOT, check=True)
    (file,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(file) as wheel:
        inside = {name for name in wheel.namelist() if ".dist-info/" not in name}
        (scripts,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
        assert "ladder = connect4_ladder_start:main" in wheel.read(scripts).decode()
    files = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert inside == files | {"connect4_ladder_start.py"}
    assert {"bots/learned/weights.npz", "reports/html/static/style.css"} <= files


def _with_requirements(lines: list[str]) -> set[str]:
    """Return the distributions that requirements install here, with what those require."""
    found: set[str] = set()
    waiting = [*lines]
    while waiting:
        wanted = Requirement(waiting.pop())
        name = canonicalize_name(wanted.name)
        if name not in found and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
            found.add(name)
            waiting += requires(name) or ()
    return found


def _imported(tree: ast.Module) -> Iterator[str]:
    """Yield the top-level names of foreign modules that a module imports."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        for name in names:
            top = name.partition(".")[0]
            if top not in PACKAGES and top not in sys.stdlib_module_names:
                yield top


def test_the_command_starts_in_a_module_of_a_name_of_its_own() -> None:
    """A user's `ladder.py` or `engine.py` must not be imported, and the wheel holds all of ours."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    start, _, function = project["project"]["scripts"]["ladder"].partition(":")
    assert (start, function) == (START, "main")
    held = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert set(held) == {*PACKAGES, f"{START}.py"}
    assert set(import_module(START).PACKAGES) == set(PACKAGES)
