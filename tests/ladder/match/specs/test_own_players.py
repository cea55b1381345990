"""The cached identities of this installation's players."""

from pathlib import Path

import pytest

from bots.catalogue import VERSIONS
from bots.identity import content_hash, sources
from engine.cache import ROOT
from ladder.match.specs.file_state import hash_file
from ladder.match.specs.own_players import load_players

DIGEST = "0123456789abcdef"


@pytest.mark.slow
def test_cached_identities_are_those_of_the_sources(tmp_path: Path) -> None:
    """The cache holds what was computed, and the next process reads it."""
    players = load_players(DIGEST, tmp_path)
    for name in ("random", "v4", "c4ai"):
        version = VERSIONS[name]
        assert players[name].content_hash == content_hash(version)
        assert players[name].files == {
            str(path.relative_to(ROOT)): hash_file(path) for path in sources(version)
        }
    (cached,) = tmp_path.iterdir()
    assert cached.name.startswith(DIGEST)
    cached.write_bytes(cached.read_bytes().replace(content_hash(version).encode(), b"f" * 16))
    assert load_players(DIGEST, tmp_path)["c4ai"].content_hash == "f" * 16


def test_an_unreadable_cache_is_computed_again(tmp_path: Path) -> None:
    """A truncated file costs time and nothing else."""
    before = load_players(DIGEST, tmp_path)
    (cached,) = tmp_path.iterdir()
    cached.write_bytes(b'{"v4": ')
    assert load_players(DIGEST, tmp_path) == before


def test_identities_of_edited_sources_are_not_cached(tmp_path: Path) -> None:
    """Hashes of two contents must not be stored under the name of one."""
    load_players(DIGEST, tmp_path / "identities", is_edited=lambda: True)
    assert not (tmp_path / "identities").exists()
