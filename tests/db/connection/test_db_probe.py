"""Recognizing a ladder's database in any state that another process leaves it in."""

import os
import shutil
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from db.errors import Unwritable
from db.store import Store
from tests.db.disks import small_disk
from tests.db.making import add_bots, maker, new_run, played, to_plan
from tests.support.storing import finish_pair

pytestmark = pytest.mark.sqlite_file
MIB = 1 << 20


def store_pairs(store: Store, run: int, revisions: list[int]) -> Iterator[None]:
    """Plan and store pairs for ever."""
    random = Random(1)
    while True:
        for row in store.pairs.plan(run, 8, maker(revisions)):
            finish_pair(store, to_plan(row), played(row, random))
            yield


@contextmanager
def fast_writer(place: str) -> Iterator[None]:
    """Run a process that stores pairs as fast as it can during the block."""
    with Store.open(place) as store:
        add_bots(store)
    writer = os.fork()
    if not writer:
        with Store.open(place) as store:
            revisions = [bot.revision.id for bot in store.bots.all()]
            for _ in store_pairs(store, new_run(store).id, revisions):
                pass
    try:
        yield
    finally:
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)


@pytest.mark.slow
def test_a_fast_run_does_not_look_like_damage(place: str) -> None:
    """A database is recognized and sound at any moment while another process writes it."""
    with fast_writer(place):
        for _ in range(20):
            Store.open(place, create=False).close()
        with Store.open(place, create=False) as store:
            for _ in range(1_000):
                with store.streaming() as connection:  # a connection of its own each time
                    store.backend.check_database(connection)
    with Store.open(place) as store:
        assert store.audit.integrity() == []


def until_full(place: str) -> None:
    """Store pairs; when the log of writes is long, leave room for it but not for its copy."""
    store = Store.open(place)
    run, revisions = new_run(store), add_bots(store)
    pairs = store_pairs(store, run.id, revisions)
    while os.path.getsize(f"{place}-wal") < 3.5 * MIB:
        next(pairs)
    disk = os.statvfs(place)
    with open(f"{place}.filler", "wb") as filler:
        filler.write(bytes(disk.f_bavail * disk.f_bsize - 640_000))
    with pytest.raises(Unwritable, match="full"):
        for _ in pairs:
            pass


@pytest.mark.slow
def test_a_checkpoint_that_a_full_disk_cut_short_loses_no_pair(tmp_path: Path) -> None:
    """With room again, the database holds every pair that was stored, and passes its checks."""
    with small_disk(tmp_path / "small"):
        place = str(tmp_path / "small" / "ladder.db")
        child = os.fork()
        if not child:
            until_full(place)
            os._exit(0)  # the connections are not closed, as after a kill
        assert os.waitpid(child, 0)[1] == 0
        assert os.path.getsize(f"{place}-wal") > 3.5 * MIB
        os.remove(f"{place}.filler")
        header = Path(place).read_bytes()[:100]
        pages = int.from_bytes(header[28:32], "big")
        assert pages * 4096 > os.path.getsize(place), "the checkpoint was not cut short"
        with Store.open(place, create=False) as store:
            assert store.audit.integrity() == []
            assert store.games.count(1) == len(list(store.games.stream())) > 200
            assert list(store.audit.outcomes()) == []


@pytest.mark.slow
def test_a_file_whose_maker_was_killed_is_made_again(tmp_path: Path) -> None:
    """A file whose creation was interrupted is created again, not refused."""
    made = tmp_path / "made.db"
    maker_of_it = sqlite3.connect(made, isolation_level=None)
    maker_of_it.execute("PRAGMA cache_size=1")  # so that pages reach the file before the commit
    maker_of_it.execute("BEGIN")
    maker_of_it.execute("CREATE TABLE bots (name TEXT)")
    maker_of_it.executemany("INSERT INTO bots VALUES (?)", [("x" * 3000,) for _ in range(200)])
    for suffix in ("", "-journal"):
        shutil.copy(f"{made}{suffix}", f"{tmp_path}/copy.db{suffix}")
    maker_of_it.close()
    copy = tmp_path / "copy.db"
    assert copy.stat().st_size > 100_000
    with Store.open(str(copy)) as store:
        assert store.bots.all() == []
