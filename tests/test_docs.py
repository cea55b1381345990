"""The documentation keeps up with the code."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
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


def test_the_table_of_rooms_is_up_to_date() -> None:
    """docs/architecture.md must show the arrows that the test of the storeys holds."""
    assert PAGE.read_text() == page(), "make docs writes it"


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_every_page_says_first_what_it_is_for(page: Path) -> None:
    """A reader who followed a link must know at once whether to read on."""
    title, second, *_ = re.split(r"\n\n", page.read_text())
    assert title.startswith("# ")
    assert page.name == "README.md" or second.startswith("What this page is for: ")


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
