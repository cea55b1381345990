"""Several processes on one database, and the locks of runs in play."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.context import ForkProcess
from multiprocessing.synchronize import Barrier
from pathlib import Path
from random import Random

import pytest

from db.backends.locks import FileLocks
from db.errors import Unwritable
from db.records.runs import Conditions
from db.store import Store
from tests.db.making import add_bots, maker, new_bot, new_run, played, revision, to_plan
from tests.support.sql import execute_sql
from tests.support.storing import finish_pair


def play(place: str, run: int, other: int, together: Barrier) -> None:
    """Plan pairs of a run and finish those of both, beside another process that does the same."""
    with Store.open(place, busy_s=0.01) as store:
        revisions = [bot.revision.id for bot in store.bots.all()]
        random = Random(run)
        together.wait()
        for step in range(3):
            store.bots.bring_up_to_date((), {"extra": revision(f"content {step}")})
            store.divisions.ensure(Conditions("thu", step, {"depth": 1}))
            store.pairs.plan(run, 3, maker(revisions))
            for row in store.pairs.planned(run) + store.pairs.planned(other):
                finish_pair(store, to_plan(row), played(row, random))


@contextmanager
def players(place: str, one: int, two: int) -> Iterator[list[ForkProcess]]:
    """Start two; kill them if the test ends before them, for a leaked one fails a later test."""
    forks = get_context("fork")
    together = forks.Barrier(2)
    both = [
        forks.Process(target=play, args=(place, *runs, together))
        for runs in ((one, two), (two, one))
    ]
    for each in both:
        each.start()
    try:
        yield both
    finally:
        for each in both:
            each.kill()
            each.join()


@pytest.mark.slow
def test_two_processes_plan_and_finish_at_once(place: str) -> None:
    """No number is taken twice, no pair is stored twice, and the aggregate agrees in the end."""
    with Store.open(place) as store:
        add_bots(store)
        one, two = new_run(store), new_run(store)
        store.bots.add(new_bot("extra", "content 0"))
        with players(place, one.id, two.id) as both:
            for each in both:
                each.join()  # no limit of its own: on a machine with load 25 they need minutes
            assert [each.exitcode for each in both] == [0, 0]
        assert store.pairs.planned(one.id) == store.pairs.planned(two.id) == []
        games = list(store.games.stream())
        assert len(games) == 2 * 2 * 3 * 3
        assert len({(game.pair_id, game.game) for game in games}) == len(games)
        numbers = execute_sql(store.where, "SELECT number FROM pairs ORDER BY 1")
        assert numbers == [(number,) for number in range(18)]
        assert store.bots.get("extra").revision.number == 3
        assert list(store.audit.outcomes()) == []
        assert store.audit.integrity() == []


class Holder:
    """A process that tries to take a lock, and keeps it until it is killed."""

    def __init__(self, place: str, number: int) -> None:
        told, tell = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            lock = FileLocks(place)
            os.write(tell, b"1" if lock.try_acquire(number) else b"0")
            signal.pause()
        os.close(tell)
        with os.fdopen(told) as answer:
            self.has_lock = answer.read(1) == "1"

    def kill(self) -> None:
        """End the process."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


@pytest.mark.sqlite_file
def test_a_run_is_alive_as_long_as_its_process(place: str) -> None:
    """Other processes see the lock and cannot take it; killing its process frees it."""
    lock = FileLocks(place)
    assert not lock.is_alive(7)
    holder = Holder(place, 7)
    assert holder.has_lock
    assert lock.holder(7) == f"process {holder.pid}"
    assert not lock.try_acquire(7)
    assert not lock.is_alive(6)
    assert not lock.is_alive(8)
    holder.kill()
    assert not lock.is_alive(7)
    assert lock.try_acquire(7)
    lock.close()


@pytest.mark.sqlite_file
def test_two_objects_of_a_process_exclude_each_other(place: str) -> None:
    """One lock object of a process sees the locks of another; closing it frees none of them."""
    one, two = FileLocks(place), FileLocks(place)
    assert one.try_acquire(3)
    assert not two.try_acquire(3)
    assert two.holder(3) == f"process {os.getpid()}"
    two.close()
    two.close()
    for is_free in (False, True):
        other = Holder(place, 3)
        assert other.has_lock == is_free
        other.kill()
        one.release(3)
    assert not one.is_alive(3)
    one.close()


def test_a_missing_folder_for_lock_files_is_reported(tmp_path: Path) -> None:
    """The message names the folder."""
    with pytest.raises(Unwritable, match="cannot be written"):
        FileLocks(str(tmp_path / "no" / "ladder.db"))
