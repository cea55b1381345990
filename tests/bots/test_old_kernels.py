"""The removal of kernels and stamps that nothing used."""

import os
import time
from pathlib import Path

import pytest

from bots.old_kernels import KEPT_SECONDS, remove_unused
from engine.cache import cache_folder, is_used, write_entry

OLD = time.time() - KEPT_SECONDS - 60


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an empty cache."""
    monkeypatch.setenv("LADDER_CACHE", str(tmp_path))
    return cache_folder()


def make_folder(folder: Path, *, is_old: bool) -> None:
    """Make a folder with a file that was last used now, or more than a month ago."""
    folder.mkdir(parents=True)
    (folder / "a.nbc").write_bytes(b"machine code")
    if is_old:
        os.utime(folder, (OLD, OLD))


def names(cache: Path) -> set[str]:
    """Return the entries of a cache by their last name."""
    kinds = {"kernels", "warm", "golden", "keys"}
    return {path.name for path in cache.rglob("*") if path.name not in {*kinds, "a.nbc"}}


def test_what_was_not_used_for_a_month_leaves(cache: Path) -> None:
    """Stamps leave, then folders that no stamp names; the rest stays."""
    for name in ("named-1", "forgotten-2", "unnamed-3"):
        make_folder(cache / "kernels" / name, is_old=True)
    make_folder(cache / "kernels" / "solver-4", is_old=False)
    make_folder(cache / "0123456789abcdef", is_old=True)  # of release 0.2.0
    make_folder(cache.parent / "numba-of-another-cpu" / "kernels" / "other-5", is_old=True)
    write_entry(cache / "warm" / "v1-1", "named-1")
    for kind, name in (("warm", "v1-2"), ("golden", "v1-3"), ("keys", "4")):
        write_entry(cache / kind / name, "forgotten-2")
        os.utime(cache / kind / name, (OLD, OLD))
    write_entry(cache / "keys" / "5", "{}")
    remove_unused()
    assert names(cache) == {"v1-1", "named-1", "solver-4", "5"}
    assert not list((cache.parent / "numba-of-another-cpu").rglob("other-5"))


def test_a_use_keeps_an_entry(cache: Path) -> None:
    """A stamp that was found is as good as new, and what it names stays with it."""
    make_folder(cache / "kernels" / "named-1", is_old=True)
    stamp = cache / "warm" / "v1-1"
    assert not is_used(stamp)
    write_entry(stamp, "named-1")
    os.utime(stamp, (OLD, OLD))
    assert is_used(stamp)
    remove_unused()
    assert names(cache) == {"v1-1", "named-1"}
