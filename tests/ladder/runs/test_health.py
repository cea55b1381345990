"""The rules by which a run is given up."""

import pytest

from bots.protocol import Budget
from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan, PairRecord
from ladder.errors import InvalidRun
from ladder.runs.health import DEATHS_IN_A_ROW, DEATHS_OVER_A_PAIR, RunHealth
from tests.ladder.runs.test_stalls import plan, played

BUDGET = Budget(time_ms=100)


def pair(number: int) -> PairPlan:
    sides = (Entrant(which, f"bot{which}", Start(("./bot",), "/"), BUDGET) for which in (1, 2))
    return PairPlan(number, number, *sides, "6x7", "6x7", (), 1)


def finish(health: RunHealth) -> None:
    """Let a pair be played to its end."""
    record: PairRecord = played()
    assert record.games
    assert list(health.observe(plan(), record)) == []


def test_workers_that_die_in_a_row_end_the_run() -> None:
    """A finished pair between two deaths begins the count anew."""
    health = RunHealth(None)
    for number in range(DEATHS_IN_A_ROW - 1):
        assert "is replaced" in health.note_deaths([pair(number)])
    finish(health)
    for number in range(DEATHS_IN_A_ROW - 1):
        health.note_deaths([pair(100 + number)])
    with pytest.raises(InvalidRun, match="worker processes keep dying"):
        health.note_deaths([pair(200)])


def test_a_pair_that_kills_its_workers_ends_the_run() -> None:
    """Pairs that are finished meanwhile do not matter."""
    health = RunHealth(None)
    for _ in range(DEATHS_OVER_A_PAIR - 1):
        health.note_deaths([pair(7)])
        finish(health)
    with pytest.raises(InvalidRun, match=f"{DEATHS_OVER_A_PAIR} times while pair 7"):
        health.note_deaths([pair(7)])
