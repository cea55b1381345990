"""A pool of bots: the logs that it keeps, and the processes."""

import contextlib
import time
from dataclasses import replace
from pathlib import Path

import pytest

from bots.protocol import Budget, NewGame
from db.records.launch import Limits
from ladder.errors import BotCrash, BotProtocolError
from ladder.match.game.bot_pool import FORFEIT, BotPool
from ladder.registry.specs.start_command import builtin_launch, make_start
from tests.support.fakes import fake_start
from tests.support.unconfined import UNCONFINED


@pytest.mark.slow
def test_the_oldest_logs_are_deleted(tmp_path: Path) -> None:
    """Logs of forfeits are marked, each kind keeps some, and no name leads out of the folder."""
    logs = tmp_path / "logs"
    pool = BotPool(replace(UNCONFINED, logs=logs, log_bytes=4 * 128 * 1024))
    quits = fake_start("exits-at-once", folder=tmp_path)
    talks = fake_start("honest", "started", folder=tmp_path)
    pool.release(talks, pool.acquire(talks, "talks"), renew=True)
    for name in ("first", "../../etc", ".third"):
        with pytest.raises(BotCrash):
            pool.acquire(quits, name)
    pool.close()
    left = sorted(path.name for path in logs.iterdir())
    assert [name.partition("-")[0] for name in left] == ["_.._etc", "talks", "third"]
    assert [name.endswith(FORFEIT) for name in left] == [True, False, True]


@pytest.mark.slow
def test_the_oldest_idle_process_ends_first(tmp_path: Path) -> None:
    """A released process is acquired again; a renewed one ends, and so does one too many."""
    pool = BotPool(UNCONFINED, keep=2)
    starts = [fake_start("honest", str(n), folder=tmp_path) for n in range(3)]
    processes = [pool.acquire(start) for start in starts]
    for start, process in zip(starts, processes, strict=True):
        pool.release(start, process, renew=False)
    assert [process.alive for process in processes] == [False, True, True]
    assert pool.acquire(starts[1]) is processes[1]
    pool.release(starts[1], processes[1], renew=True)
    assert not processes[1].alive
    pool.close()
    assert not processes[2].alive


@pytest.mark.parametrize("field", ["name", "version"])
def test_a_hello_that_changes_a_terminal_is_refused(tmp_path: Path, field: str) -> None:
    """Both texts are shown and stored."""
    start = fake_start("colours", field, folder=tmp_path)
    refused = rf"hello is refused: a {field} must be printable text, got U\+001B"
    with (
        contextlib.closing(BotPool(UNCONFINED)) as pool,
        pytest.raises(BotProtocolError, match=refused),
    ):
        pool.fetch_hello(start)


@pytest.mark.slow
def test_limits_of_bots_leave_built_in_players_what_they_need() -> None:
    """A limit below what Python needs must not let the opponents of a small bot forfeit."""
    limits = Limits(memory_mb=1, processes=1, open_files=4)
    start = make_start(builtin_launch("random"))
    with contextlib.closing(BotPool(replace(UNCONFINED, limits=limits))) as pool:
        process = pool.acquire(start)
        process.new_game(NewGame("g", 4, 4, 0, 1, Budget(simulations=1), player="random"), 60)
        time.sleep(1)  # memory is measured a few times per second
        assert not process.is_unusable()
        process.kill()
