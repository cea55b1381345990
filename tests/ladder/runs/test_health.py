"""The rules by which a run is given up."""

import msgspec
import pytest

from bots.protocol import Budget
from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan, PairRecord, PlannedPair
from engine.seeds import SplitMix
from ladder.errors import InvalidRun
from ladder.runs.health import (
    DEATHS_IN_A_ROW,
    DEATHS_OVER_A_PAIR,
    STARTS_BEFORE_PAUSE,
    RunHealth,
)
from ladder.runs.pairings import RANDOM, Pairing
from tests.support.data.random_games import random_record

BUDGET = Budget(time_ms=100)


def pair(number: int) -> PairPlan:
    sides = (Entrant(which, f"bot{which}", Start(("./bot",), "/"), BUDGET) for which in (1, 2))
    return PairPlan(PlannedPair(1, 2, "6x7", "6x7", (), 1, number, number), *sides)


def finish(health: RunHealth) -> None:
    """Let a pair be played to its end."""
    record = random_record(pair(0), SplitMix(1))
    assert list(health.observe(pair(0), record)) == []


def health_of(*names: str) -> RunHealth:
    return RunHealth(names, Pairing(RANDOM).meetings)


def test_workers_that_die_in_a_row_end_the_run() -> None:
    """A finished pair between two deaths begins the count anew."""
    health = RunHealth()
    for number in range(DEATHS_IN_A_ROW - 1):
        assert "is replaced" in health.note_deaths([pair(number)])
    finish(health)
    for number in range(DEATHS_IN_A_ROW - 1):
        health.note_deaths([pair(100 + number)])
    with pytest.raises(InvalidRun, match="worker processes keep dying"):
        health.note_deaths([pair(200)])


def test_an_unusable_value_is_reported_once_for_each_bot() -> None:
    """Games with hundreds of them give one warning."""
    health, record = RunHealth(), random_record(pair(0), SplitMix(1))
    record = msgspec.structs.replace(record, unusable={2: "info.value (NaN)"})
    found = [sentence for _ in range(2) for sentence in health.observe(pair(0), record)]
    assert found == ["bot2 sends an unusable info.value (NaN) with its move: it is left out"]


def test_a_pair_that_kills_its_workers_ends_the_run() -> None:
    """Pairs that are finished meanwhile do not matter."""
    health = RunHealth()
    for _ in range(DEATHS_OVER_A_PAIR - 1):
        health.note_deaths([pair(7)])
        finish(health)
    with pytest.raises(InvalidRun, match=f"{DEATHS_OVER_A_PAIR} times while pair 7"):
        health.note_deaths([pair(7)])


def test_a_pair_that_the_machine_does_not_let_be_played_ends_the_run() -> None:
    """The message has the last reason."""
    stalled = PairRecord(1, 0, (), stalls=4, abort_reason="no answer to move (ply 0); wait")
    with pytest.raises(InvalidRun, match=r"the machine stalls: pair 0 .* no answer .*; wait$"):
        list(RunHealth().observe(pair(0), stalled))


def test_the_warning_comes_before_the_end_of_a_run_with_too_few_bots() -> None:
    """The reader learns first which bot is paused, then that too few are left."""
    record = random_record(pair(0), SplitMix(1))
    record = msgspec.structs.replace(record, failed_starts=(1,) * STARTS_BEFORE_PAUSE)
    found = health_of("bot1", "bot2").observe(pair(0), record)
    assert next(found).startswith("bot1 could not be started")
    with pytest.raises(InvalidRun, match="too few bots can play: bot1 could not"):
        next(found)
    assert len(list(health_of("bot1", "bot2", "bot3").observe(pair(0), record))) == 1
    assert list(RunHealth().observe(pair(0), record)) == []
