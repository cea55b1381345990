"""The kept identities of this installation's players."""

from pathlib import Path

import pytest

from bots.catalogue import VERSIONS
from bots.identity import content_hash, sources
from engine.cache import ROOT
from ladder.match.specs import own_players
from ladder.match.specs.file_state import hash_file
from ladder.match.specs.own_players import own_player
from ladder.match.specs.own_sources import own_sources


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LADDER_CACHE", str(tmp_path))
    return tmp_path / "identities"


def test_they_are_those_of_the_sources(cache: Path) -> None:
    """What is kept must be what is computed, and be read the next time."""
    for name in ("random", "v4", "c4ai"):
        version = VERSIONS[name]
        player = own_player(version)
        assert player.content_hash == content_hash(version)
        assert player.files == {
            str(path.relative_to(ROOT)): hash_file(path) for path in sources(version)
        }
    (kept,) = cache.iterdir()
    assert kept.name.startswith(own_sources().digest)
    kept.write_bytes(kept.read_bytes().replace(player.content_hash.encode(), b"f" * 16))
    own_players._players.cache_clear()
    assert own_player(VERSIONS["c4ai"]).content_hash == "f" * 16


def test_what_cannot_be_read_is_computed_again(cache: Path) -> None:
    """A cut file must cost time and nothing else."""
    before = own_player(VERSIONS["v4"])
    (kept,) = cache.iterdir()
    kept.write_bytes(b'{"v4": ')
    own_players._players.cache_clear()
    assert own_player(VERSIONS["v4"]) == before


def test_nothing_is_kept_of_sources_that_are_being_edited(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hashes that may be of two contents must not stand under the name of one."""
    monkeypatch.setattr(own_players, "is_edited", lambda: True)
    own_player(VERSIONS["v4"])
    assert not cache.exists()
