"""The documentation keeps up with the code."""

import ast
import re
from pathlib import Path

import pytest

from bots.catalogue import VERSIONS
from tests.tools import players_page
from tests.tools.packages_table import PAGE, page

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "bots", "db", "ladder", "reports")
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def test_the_table_of_layers_is_up_to_date() -> None:
    """docs/architecture.md must show the table that tests/test_layers.py checks."""
    assert PAGE.read_text() == page(), "write it with `make docs`"


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


def test_the_page_of_players_leads_to_every_idea() -> None:
    """Each version from v1 on names a function that exists, and a gain that a page has measured."""
    ideas = {name: VERSIONS[name].idea for name in (f"v{number}" for number in range(1, 25))}
    measured = "".join(path.read_text() for path in (ROOT / "docs" / "results").glob("*.md"))
    for name, idea in ideas.items():
        assert idea is not None, name
        file, _, function = idea.function.partition(":")
        definition = rf"^ *def {function}\(|^{function}: Callable"
        assert re.search(definition, (ROOT / file).read_text(), re.M), (name, idea.function)
        for figures in re.findall(r"[+-]\d+ (?:± \d+|\[[^]]+\])", idea.gain):
            assert figures in measured.replace("+-", "± "), (name, figures)
    assert players_page.PAGE.read_text() == players_page.page(), "write it with `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_have_a_target(page: Path) -> None:
    """A relative link must name a file that exists, and a heading that this file has."""
    for target, heading in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", page.read_text()):
        if "://" in target:
            continue
        file = page.parent / target if target else page
        assert file.exists(), f"{page}: {target}"
        if heading:
            assert heading in anchors(file), f"{page}: {target}#{heading}"


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {
        re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_files_exist(page: Path) -> None:
    """A file or folder of the program that a page names must exist."""
    for name in re.findall(
        rf"`((?:{'|'.join(PACKAGES)}|tests|benchmarks)/[\w/.-]*)`", page.read_text()
    ):
        assert (ROOT / name).exists(), f"{page}: {name}"
