"""A late bot that was kept from running is told from one that slept."""

import os
import time

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
from tests.support.crowd import crowd_to_come
from tests.support.fakes import (
    StartFake,
    open_game,
)


def late_by(bot: BotProcess, timeout_s: float) -> Stall:
    with pytest.raises(BotTimeout):
        bot.ask(MoveAsk(ply=0, moves=()), timeout_s=timeout_s, watch_runqueue=True)
    assert bot.stall is not None
    return bot.stall


def test_a_busy_bot_on_a_crowded_processor_was_stalled(start_fake: StartFake) -> None:
    """Among busy neighbours most of the time is waiting."""
    with crowd_to_come() as crowd:
        bot = start_fake("spins")
        open_game(bot)
        crowd.come()
        stall = late_by(bot, 0.4)
    assert stall.elapsed_us >= 400_000
    assert stall.bot_us > 0.5 * stall.elapsed_us


def test_a_sleeping_bot_on_a_crowded_processor_was_not(start_fake: StartFake) -> None:
    """It never wanted to run, so it has nothing to complain of."""
    with crowd_to_come() as crowd:
        bot = start_fake("hangs-in-move")
        open_game(bot)
        crowd.come()
        stall = late_by(bot, 0.4)
    assert stall.bot_us < 0.2 * stall.elapsed_us


@pytest.mark.parametrize("how", ["nice", "idle", "cpu", "group"])
def test_a_bot_that_gave_its_claim_away_was_not(start_fake: StartFake, how: str) -> None:
    """It arranged for its wait itself, so it has nothing to complain of."""
    with crowd_to_come() as crowd:
        bot = start_fake("gives-way", how)
        open_game(bot)
        crowd.come()
        if how == "cpu":  # as if it had been given all
            os.sched_setaffinity(0, range(os.cpu_count() or 1))
        stall = late_by(bot, 0.4)
    assert stall.bot_us < 0.2 * stall.elapsed_us


@pytest.mark.parametrize("mode", ["hides-behind-helpers", "hides-behind-steps"])
def test_a_bot_kept_waiting_by_its_own_helpers_was_not(start_fake: StartFake, mode: str) -> None:
    """What orphans in other sessions use, living or ended, is the bot's own use.

    Whoever else computes on this processor meanwhile does keep the bot waiting, so the calmest of
    some tries counts; its helpers would keep it waiting in all.
    """
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        for _ in range(8):
            bot = start_fake(mode)
            open_game(bot)
            bot.begin_game()
            stall = late_by(bot, 0.6)
            if max(stall.bot_us, stall.harness_us) < 0.35 * stall.elapsed_us:
                return
    finally:
        os.sched_setaffinity(0, allowed)
    pytest.fail(f"in none of the tries: {stall}")


def test_what_a_bot_can_complain_of() -> None:
    """The longest wait counts, less what exceeds one processor's worth, and is never negative."""
    assert starved_ns(longest_wait_ns=60, cpu_ns=40, elapsed_ns=100) == 60
    assert starved_ns(longest_wait_ns=60, cpu_ns=10, elapsed_ns=100) == 60
    assert starved_ns(longest_wait_ns=75, cpu_ns=100, elapsed_ns=100) == 0
    assert starved_ns(longest_wait_ns=75, cpu_ns=180, elapsed_ns=100) == 0
    assert starved_ns(longest_wait_ns=-1, cpu_ns=0, elapsed_ns=100) == 0


def test_oversleeping_is_the_harnesss() -> None:
    """The whole time that nobody of the bot used counts; a process that is gone has no wait."""
    gone = 2**22 + 1
    before = snapshot(gone, ended=True)._replace(taken=time.monotonic() - 10)
    stall = stall_since(gone, before, 5_000_000)
    assert stall.harness_us == 5_000_000
    assert stall.bot_us == 0


def test_unwatched_questions_leave_no_stall(start_fake: StartFake) -> None:
    """Without `watch_runqueue` nothing is measured."""
    bot = start_fake("hangs-in-move")
    open_game(bot)
    with pytest.raises(BotTimeout):
        bot.ask(MoveAsk(ply=0, moves=()), timeout_s=0.05)
    assert bot.stall is None
