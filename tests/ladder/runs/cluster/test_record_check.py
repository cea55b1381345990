"""Records of a machine held against their plans: honest ones pass, impossible ones do not."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bots.protocol import Budget
from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan, PairRecord
from engine.seeds import SplitMix
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.runs.cluster.coordinator.record_check import FalseRecord, checked_record
from tests.support.data.random_games import random_record
from tests.support.fakes import fake_start
from tests.support.lying_worker import LIES, LegalLie
from tests.support.unconfined import UNCONFINED

START = Start(argv=("true",), folder="/")


@pytest.fixture
def pool() -> Iterator[BotPool]:
    """Bot processes, ended afterwards."""
    bots = BotPool(UNCONFINED)
    yield bots
    bots.close()


def plan_of(a: Start, b: Start, budget: Budget, **changes: Any) -> PairPlan:
    plan = PairPlan(7, 3, Entrant(1, "a", a, budget), Entrant(2, "b", b, budget), "6x7", "6x7",
                    (3, 3, 2), seed=11)  # fmt: skip
    return msgspec.structs.replace(plan, **changes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "argument"),
    [
        ("honest", ""),
        ("hangs-in-move", ""),
        ("exits", ""),
        ("garbage", ""),
        ("answers", "99"),
    ],
)
@pytest.mark.parametrize("budget", [Budget(time_ms=100), Budget(simulations=1)])
def test_records_of_the_referee_pass(
    mode: str, argument: str, budget: Budget, pool: BotPool, tmp_path: Path
) -> None:
    """Whatever a bot does wrong, the record of its pair must be taken as it is."""
    bot = fake_start(mode, *filter(None, [argument]), folder=tmp_path)
    honest = fake_start("honest", folder=tmp_path)
    plan = plan_of(bot, honest, budget, watchdog_s=0.3)
    begun = time.monotonic()
    record = play_pair(plan, pool)
    assert record.games
    assert record.games[0].termination.is_forfeit is (mode != "honest")
    assert checked_record(record, plan, time.monotonic() - begun) == record


@pytest.mark.parametrize(
    "lie", [name for name, lie in LIES.items() if not isinstance(lie, LegalLie)]
)
def test_a_record_that_cannot_be_true_is_refused(lie: str) -> None:
    """Each must be refused with a sentence that names the pair."""
    plan = plan_of(START, START, Budget(time_ms=100), board="4x4", board_class="4x4")
    honest = random_record(plan, SplitMix(plan.seed), time_us=20, started=time.time())
    assert checked_record(honest, plan, 1.0) == honest
    with pytest.raises(FalseRecord, match=r"^it sent a false record of pair 3: \S.*"):
        checked_record(LIES[lie](plan, honest), plan, 1.0)


def test_a_record_without_games_needs_a_reason() -> None:
    """A pair that stalled or whose bots' files changed has no games, and says which."""
    plan = plan_of(START, START, Budget(time_ms=100))
    stalled = PairRecord(7, 3, (), aborts=4, abort_reason="the machine stalled")
    changed = PairRecord(7, 3, (), changed=(2,), abort_reason="bot.py changed")
    for record in (stalled, changed):
        assert checked_record(record, plan, 1.0) == record
    with pytest.raises(FalseRecord, match="no games"):
        checked_record(PairRecord(7, 3, ()), plan, 1.0)
