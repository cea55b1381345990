"""The distribution: what users install and rely on."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


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


def test_the_command_and_the_packages_have_their_names() -> None:
    """The distribution is connect4-ladder, its command ladder, its packages the five folders."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["name"] == "connect4-ladder"
    assert project["project"]["scripts"] == {"ladder": "ladder.cli.main:main"}
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert packages == ["engine", "bots", "db", "ladder", "reports"]
