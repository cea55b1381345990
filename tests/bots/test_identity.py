"""The identity of built-in players."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from bots.catalogue import VERSIONS
from bots.identity import (
    CARRIED_FILE,
    Carried,
    carried,
    code_hash,
    content_hash,
    files_hash,
    is_carried_over,
    sources,
)
from engine.cache import ROOT
from tests.bots import carry
from tests.bots.carry import Decided


def names(version: str) -> set[str]:
    return {str(path.relative_to(ROOT)) for path in sources(VERSIONS[version])}


def test_sources_are_what_the_player_imports() -> None:
    """A player depends on its kernels and the engine, not on tables or other families."""
    assert {"bots/uct/array/search.py", "bots/array_board.py", "engine/bits.py"} <= names("v1")
    for version in VERSIONS:
        assert "bots/catalogue.py" not in names(version)
        assert not any(name.endswith("versions.py") for name in names(version))
    assert "bots/uct/array/search.py" not in names("random")
    assert not {"bots/uct/tree/search.py", "bots/uct/settings.py"} & names("v4")
    assert "bots/uct/graph/search.py" not in names("v13")


def test_different_players_differ() -> None:
    """Two rows never have one identity."""
    assert len({content_hash(version, {}) for version in VERSIONS.values()}) == len(VERSIONS)


def test_another_option_is_another_player() -> None:
    """The same player with another option is another player."""
    v4 = VERSIONS["v4"]
    assert content_hash(v4, {"c": "0.7"}) != content_hash(v4, {})
    assert content_hash(v4) == content_hash(v4, {})
    assert content_hash(v4, {"c": "0.7"}) != content_hash(VERSIONS["v3"], {"c": "0.7"})


def test_the_description_of_a_version_does_not_count() -> None:
    """A better description of a version is not a new version."""
    v4 = VERSIONS["v4"]
    assert content_hash(replace(v4, change="something else", name="x")) == content_hash(v4)


class Edited:
    """A player of temporary sources that a test edits."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, str] = {}
        self._copies = 0
        self.version = replace(VERSIONS["random"], name="made-up", factory="bots.player_a:Player")
        self.write("bots/player_a.py", "from bots import shared\n")
        self.write("bots/shared.py", "import engine.kernel_x\n")
        self.write("engine/kernel_x.py", KERNEL)
        self.write("bots/other.py", "x = 1\n")
        self.carry({})

    def write(self, name: str, text: str) -> None:
        self._files[name] = text

    def carry(self, entries: dict[str, Carried]) -> None:
        self.write(CARRIED_FILE, msgspec.json.encode(entries).decode())

    def root(self) -> Path:
        """Write the sources to a new folder: what was read from one is not read again."""
        self._copies += 1
        root = self._folder / str(self._copies)
        for name, text in self._files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return root

    def code(self) -> str:
        return code_hash(self.version, self.root())

    def hash(self, options: dict[str, str] | None = None) -> str:
        return content_hash(self.version, options, root=self.root())

    def is_carried_over(self, options: dict[str, str], files: dict[str, str]) -> bool:
        return is_carried_over(self.version, options, files, root=self.root())


KERNEL = '''"""A kernel."""
# a comment
ANSWER = 1
"""The answer."""


def ask():
    """Ask."""
    # think
    return f"""
    # no comment but text {ANSWER}

    """
'''


@pytest.fixture
def edited(tmp_path: Path) -> Edited:
    return Edited(tmp_path)


def test_an_edited_kernel_is_a_new_identity(edited: Edited) -> None:
    """A change in a file that is reached only through other files changes the identity."""
    before = edited.hash()
    edited.write("bots/other.py", "x = 2\n")
    assert edited.hash() == before
    edited.write("engine/kernel_x.py", KERNEL.replace("ANSWER = 1", "ANSWER = 2"))
    assert edited.hash() != before


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ('"""A kernel."""', '"""A better\nsentence."""', False),
        ('"""The answer."""', "", False),
        ("    # think\n", "", False),
        ('    """Ask."""\n', "\n", False),
        ("# no comment but text", "# other text", True),
        ("    # no comment but text", "    no comment but text", True),
        ("{ANSWER}\n\n", "{ANSWER}\n", True),
        ("ask", "answer", True),
    ],
)
def test_docstrings_comments_and_blank_lines_do_not_count(
    edited: Edited, old: str, new: str, counts: bool
) -> None:
    """Docstrings, comment lines and blank lines do not count; texts in code do."""
    before = edited.hash()
    assert old in KERNEL
    edited.write("engine/kernel_x.py", KERNEL.replace(old, new))
    assert (edited.hash() != before) == counts


def test_a_carried_player_keeps_its_identity_until_the_next_edit(edited: Edited) -> None:
    """An entry gives only the current code, also with options, its earlier identity."""
    then = {"identity": edited.hash(), "optioned": edited.hash({"c": "2"})}
    edited.write("engine/kernel_x.py", KERNEL.replace("ask", "answer"))
    edited.carry({"made-up": Carried(edited.code(), then["identity"])})
    assert edited.hash() == then["identity"]
    assert edited.hash({"c": "2"}) == then["optioned"]
    assert edited.hash({"c": "3"}) not in then.values()
    edited.write("engine/kernel_x.py", KERNEL.replace("ask", "reply"))
    assert edited.hash() != then["identity"]


def test_a_stored_revision_with_options_is_carried_over(edited: Edited) -> None:
    """A revision of the earlier sources with equal options is the current player."""
    former = {"engine/a.py": "1234"}
    edited.carry({"made-up": Carried(edited.code(), "then", (files_hash(former),))})
    stored = {**former, "option c": "2"}
    assert edited.is_carried_over({"c": "2"}, stored)
    assert not edited.is_carried_over({"c": "3"}, stored)
    assert not edited.is_carried_over({}, stored)
    assert not edited.is_carried_over({"c": "2"}, {**stored, "engine/a.py": "4321"})
    edited.write("engine/kernel_x.py", KERNEL.replace("ask", "reply"))
    assert not edited.is_carried_over({"c": "2"}, stored)


@pytest.mark.slow
def test_carried_players_have_the_sources_that_were_compared() -> None:
    """After an edit of code, run `python -m tests.bots.carry`."""
    edited = [name for name, entry in carried().items() if entry.code != code_hash(VERSIONS[name])]
    assert not edited


def test_only_equal_decisions_are_carried() -> None:
    """Players that decide differently get no entry, and unchanged players need none."""
    code = code_hash(VERSIONS["v4"])
    known = {"v4": Carried(code, "before", ("older",))}
    same = {"v4": Decided("before", {"a": "1"}, "games"), "v5": Decided("b", {}, "games")}
    now = {"v4": Decided("-", {}, "games"), "v5": Decided("-", {}, "other games")}
    expected = Carried(code, "before", ("older", files_hash({"a": "1"})))
    assert carry.carry(same, now, known) == {"v4": expected}
    assert carry.carry({"v4": Decided(code, {}, "games")}, now, known) == {}
