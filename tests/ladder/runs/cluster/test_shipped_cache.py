"""The cache of shipped bots: bounded, the least recently used first, and never one in use."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ladder.runs.cluster.shipped_cache import (
    IN_USE_S,
    CacheLock,
    archives_folder,
    clean_cache,
    mark_used,
)

HOLD = """
import sys
from pathlib import Path
from ladder.runs.cluster.shipped_cache import CacheLock
held = CacheLock([Path(sys.argv[1])])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty cache."""
    monkeypatch.setenv("LADDER_CACHE", str(tmp_path))
    return tmp_path


def archive(name: str, *, size: int = 1000, hours: float) -> Path:
    """Return an entry that was used so many hours ago."""
    place = archives_folder() / name
    (place / "files").mkdir(parents=True)
    (place / "files" / "bot.py").write_bytes(b"x" * size)
    used(place, hours)
    return place


def used(place: Path, hours: float) -> None:
    moment = time.time() - hours * 3600
    os.utime(place, (moment, moment))


def test_the_least_recently_used_entries_are_removed_first() -> None:
    """Archives go in the order of their last use until the rest fits."""
    oldest = archive("a", hours=30)
    older = archive("b", hours=20)
    young = archive("c", hours=10)
    assert clean_cache(most_bytes=1500) == [oldest, older]
    assert young.is_dir()
    assert clean_cache(most_bytes=1500) == []


def test_entries_that_were_not_used_for_a_month_are_removed() -> None:
    """Archives and half-written folders alike."""
    gone = [archive("a", hours=800), archive(".new-x", hours=800)]
    kept = archive("b", hours=2)
    assert set(clean_cache()) == set(gone)
    assert kept.is_dir()
    assert not any(place.exists() for place in gone)


def test_entries_that_were_used_lately_are_kept(cache: Path) -> None:
    """However full the cache is, a run that has only paused finds its bots when it resumes."""
    lately = archive("a", hours=0.9 * IN_USE_S / 3600)
    old = archive("b", hours=30)
    mark_used([old, cache / "missing"])
    assert clean_cache(most_bytes=0) == []
    assert lately.is_dir()


def test_an_entry_that_another_process_holds_is_kept() -> None:
    """An entry that is held is not removed until its holder ends, even by being killed."""
    place = archive("a", hours=800)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(place)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).resolve().parents[4],
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    used(place, 800)
    assert clean_cache(most_bytes=0) == []
    assert (place / "files" / "bot.py").is_file()
    holder.kill()
    holder.communicate()
    assert clean_cache(most_bytes=0) == [place]
    with pytest.raises(FileNotFoundError):
        CacheLock([place])


def test_an_entry_that_is_held_becomes_the_latest_used() -> None:
    place = archive("a", hours=800)
    held = CacheLock([place])
    held.close()
    assert clean_cache(most_bytes=0) == []
