"""On a machine that is really too busy honest bots are not charged, and bots that sleep are."""

import re
from pathlib import Path

import pytest

from bots.protocol import Budget
from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan
from engine.result import Termination
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.match.game.refereed_game import MAX_STALLS
from ladder.match.process.bot_process import BotProcess
from tests.support.crowd import HOGS, Crowd, crowd_to_come
from tests.support.fakes import fake_start
from tests.support.unconfined import UNCONFINED

TRIES = 5
"""Pairs, of which one is played: others may keep the machine busy when the crowd has gone."""


def plan(a: Start, b: Start, margin_ms: int = 200) -> PairPlan:
    """Return a plan whose margin is too short beside the busy processes."""
    budget = Budget(time_ms=40)
    return PairPlan(
        id=1,
        number=0,
        a=Entrant(1, "a", a, budget),
        b=Entrant(2, "b", b, budget),
        board="6x7",
        board_class="6x7",
        opening=(),
        seed=7,
        margin_ms=margin_ms,
    )


class CrowdedPool(BotPool):
    """The crowd comes when both bots are there, and may go when one is started again."""

    def __init__(self, crowd: Crowd, *, hogs: int = HOGS, goes: bool = False) -> None:
        super().__init__(UNCONFINED)
        self.crowd, self.hogs, self.goes = crowd, hogs, goes
        self.started = 0

    def acquire(self, start: Start, name: str = "bot") -> BotProcess:
        """Record the start and return its process."""
        self.started += 1
        if self.started == 3 and self.goes:  # after the first stall
            self.crowd.go()
        process = super().acquire(start, name)
        if self.started == 2:
            self.crowd.come(self.hogs)
        return process


@pytest.mark.timed
@pytest.mark.slow
def test_a_game_stalled_by_the_machine_is_played_again(tmp_path: Path) -> None:
    """A bot that needs 30 ms of 640 is late beside 40 busy processes, and is excused.

    Beside them it takes twice the time that it has; beside half as many other programs of the
    machine it is in time.
    """
    thinker = fake_start("thinks", "0.03", folder=tmp_path)
    other = fake_start("honest", folder=tmp_path)
    for _ in range(TRIES):
        with crowd_to_come() as crowd:
            pool = CrowdedPool(crowd, hogs=4 * HOGS, goes=True)
            try:
                record = play_pair(plan(thinker, other, margin_ms=600), pool)
            finally:
                pool.close()
        assert record.aborts >= 1
        assert not any(game.termination.is_forfeit for game in record.games)
        if record.games:
            break
    assert len(record.games) == 2


@pytest.mark.timed
@pytest.mark.very_slow
def test_a_pair_is_given_up_on_a_machine_that_stays_busy(tmp_path: Path) -> None:
    """After four attempts there is no game, and the reason names who waited and the ply."""
    thinker = fake_start("thinks", "0.03", folder=tmp_path)
    with crowd_to_come() as crowd:
        pool = CrowdedPool(crowd)
        try:
            record = play_pair(plan(thinker, thinker), pool)
        finally:
            pool.close()
    assert record.games == ()
    assert record.aborts == MAX_STALLS + 1
    # The crowd may keep the referee from looking for the answer as well as the bot from thinking.
    waited = r"was late at ply 0 by|delayed: it came \d+ ms after the deadline .*\(ply 0\)"
    assert re.search(waited, record.abort_reason)


@pytest.mark.timed
@pytest.mark.slow
def test_a_sleeping_bot_is_charged_on_a_busy_machine(tmp_path: Path) -> None:
    """It never waited for a processor."""
    sleeper = fake_start("late", "1", folder=tmp_path)
    other = fake_start("honest", folder=tmp_path)
    with crowd_to_come() as crowd:
        pool = CrowdedPool(crowd)
        try:
            record = play_pair(plan(sleeper, other), pool)
        finally:
            pool.close()
    assert [game.termination for game in record.games] == [Termination.TIMEOUT] * 2
    assert [game.result.value for game in record.games] == ["loss", "win"]
