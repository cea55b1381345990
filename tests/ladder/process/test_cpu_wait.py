"""A late bot that was kept from running is told from one that slept."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from bots.protocol import MoveAsk
from ladder.errors import BotTimeout
from ladder.process.bot_process import BotProcess
from ladder.process.cpu_wait import (
    Stall,
    snapshot,
    stall_since,
    starved_ns,
)
from tests.support.fakes import (
    StartFake,
    open_game,
)


@pytest.fixture
def crowded() -> Iterator[int]:
    """A processor on which three other processes are always busy."""
    processor = min(os.sched_getaffinity(0))
    hogs = [
        subprocess.Popen(["taskset", "-c", str(processor), sys.executable, "-c", "while 1: pass"])
        for _ in range(3)
    ]
    time.sleep(0.1)
    yield processor
    for hog in hogs:
        hog.kill()
        hog.wait()


def late_by(bot: BotProcess, timeout_s: float) -> Stall:
    with pytest.raises(BotTimeout):
        bot.ask(MoveAsk(ply=0, moves=()), timeout_s=timeout_s, watch_runqueue=True)
    assert bot.stall is not None
    return bot.stall


def test_a_busy_bot_on_a_crowded_processor_was_stalled(start_fake: StartFake, crowded: int) -> None:
    """Among three busy neighbours about three quarters of the time are waiting."""
    bot = start_fake("spins")
    open_game(bot)
    assert bot.pid is not None
    os.sched_setaffinity(bot.pid, {crowded})
    stall = late_by(bot, 0.4)
    assert 400_000 <= stall.elapsed_us < 1_000_000
    assert stall.bot_us > 0.4 * stall.elapsed_us


def test_a_sleeping_bot_on_a_crowded_processor_was_not(start_fake: StartFake, crowded: int) -> None:
    """It never wanted to run, so it has nothing to complain of."""
    bot = start_fake("hangs-in-move")
    open_game(bot)
    assert bot.pid is not None
    os.sched_setaffinity(bot.pid, {crowded})
    stall = late_by(bot, 0.4)
    assert stall.bot_us < 0.2 * stall.elapsed_us


def test_what_a_bot_can_complain_of() -> None:
    """The longest wait counts, less what exceeds one processor's worth, and is never negative."""
    assert starved_ns(longest_wait_ns=60, cpu_ns=40, elapsed_ns=100) == 60
    assert starved_ns(longest_wait_ns=60, cpu_ns=10, elapsed_ns=100) == 60
    assert starved_ns(longest_wait_ns=75, cpu_ns=100, elapsed_ns=100) == 0
    assert starved_ns(longest_wait_ns=75, cpu_ns=180, elapsed_ns=100) == 0
    assert starved_ns(longest_wait_ns=-1, cpu_ns=0, elapsed_ns=100) == 0


def test_oversleeping_is_the_harnesss() -> None:
    """What the harness overslept is passed through; a process that is gone has no wait."""
    stall = stall_since(2**22 + 1, snapshot(2**22 + 1), 5_000_000)
    assert stall.harness_us == 5_000_000
    assert stall.bot_us == 0


def test_unwatched_questions_leave_no_stall(start_fake: StartFake) -> None:
    """Without `watch_runqueue` nothing is measured."""
    bot = start_fake("hangs-in-move")
    open_game(bot)
    with pytest.raises(BotTimeout):
        bot.ask(MoveAsk(ply=0, moves=()), timeout_s=0.05)
    assert bot.stall is None
