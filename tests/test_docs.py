"""The documentation keeps up with the code."""

import ast
import re
from pathlib import Path

import pytest

from tests.tools.packages_table import PAGE, page

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "bots", "db", "ladder", "reports")
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_file_says_what_it_owns(package: str) -> None:
    """A module without a first sentence owns nothing."""
    for path in (ROOT / package).rglob("*.py"):
        assert ast.get_docstring(ast.parse(path.read_text())), path


def test_the_table_of_layers_is_up_to_date() -> None:
    """docs/architecture.md must show the table that the test of the layers checks."""
    assert PAGE.read_text() == page(), "make docs writes it"


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_every_page_has_a_title(page: Path) -> None:
    """A page begins with one heading of the first level."""
    assert re.match(r"# \S.*\n\n", page.read_text())


def test_functions_named_in_the_architecture_exist() -> None:
    """The page must name modules, classes and functions as the code does."""
    for name in re.findall(rf"`((?:{'|'.join(PACKAGES)})\.[\w.]+)`", PAGE.read_text()):
        assert is_defined(name), name


def is_defined(dotted: str) -> bool:
    """Return whether a dotted name is a package, a module, or a definition inside one."""
    words = dotted.split(".")
    for length in range(len(words), 0, -1):
        path = ROOT.joinpath(*words[:length])
        if path.is_dir():
            return length == len(words)
        if path.with_suffix(".py").exists():
            body = ast.parse(path.with_suffix(".py").read_text()).body
            for word in words[length:]:
                found = [
                    node
                    for node in body
                    if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == word
                ]
                if not found:
                    return False
                body = found[0].body
            return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """A relative link must name a file that is there."""
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_files_are_there(page: Path) -> None:
    """A file or folder of the program that a page names must be where the page says."""
    for name in re.findall(
        rf"`((?:{'|'.join(PACKAGES)}|tests|benchmarks)/[\w/.-]*)`", page.read_text()
    ):
        assert (ROOT / name).exists(), f"{page}: {name}"


def test_every_place_names_the_same_databases() -> None:
    """README, the page of commands and the help must agree on which databases `--db` takes."""
    for path in ("README.md", "docs/commands.md", "ladder/cli/options.py"):
        text = (ROOT / path).read_text()
        assert "postgresql+psycopg://..." in text, path
        assert "SQLite file" in text, path


def test_the_ways_to_install_take_the_tested_versions() -> None:
    """Each line of README that installs the command must name constraints.txt."""
    lines = (ROOT / "README.md").read_text().splitlines()
    for way in ("uv tool install", "pipx install", "python3 -m venv"):
        assert any(way in line and "-c constraints.txt" in line for line in lines), way
