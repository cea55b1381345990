"""What a built-in player is made of."""

from dataclasses import replace
from pathlib import Path

import pytest

from bots import identity
from bots.catalogue import VERSIONS
from bots.identity import content_hash, sources
from engine.cache import ROOT


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


def test_options_count() -> None:
    """The same player with another option is another player."""
    v4 = VERSIONS["v4"]
    assert content_hash(v4, {"c": "0.7"}) != content_hash(v4, {})
    assert content_hash(v4) == content_hash(v4, {})


def test_words_about_a_version_do_not_count() -> None:
    """Describing a version better does not make it a new one."""
    v4 = VERSIONS["v4"]
    assert content_hash(replace(v4, change="something else", name="x")) == content_hash(v4)


def test_an_edited_kernel_is_a_new_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change in a file that is reached only through other files changes the identity."""
    for name, text in {
        "bots/player_a.py": "from bots import shared\n",
        "bots/shared.py": "import engine.kernel_x\n",
        "engine/kernel_x.py": "ANSWER = 1\n",
        "bots/other.py": "x = 1\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(identity, "ROOT", tmp_path)
    version = replace(VERSIONS["random"], factory="bots.player_a:Player")

    def hash_now() -> str:
        identity._closure.cache_clear()
        identity._imports.cache_clear()
        return content_hash(version)

    before = hash_now()
    (tmp_path / "bots/other.py").write_text("x = 2\n")
    assert hash_now() == before
    (tmp_path / "engine/kernel_x.py").write_text("ANSWER = 2\n")
    assert hash_now() != before
    monkeypatch.undo()
    identity._closure.cache_clear()
    identity._imports.cache_clear()
