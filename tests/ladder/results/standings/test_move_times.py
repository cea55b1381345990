"""A slow bot is marked, unless all bots had to wait for the machine."""

from dataclasses import replace

import pytest

from db.records.sides import SideTotals
from ladder.results.standings.move_times import MoveTimes, excuse_waiting, has_waited, shared_note
from ladder.results.standings.notes import SharedMachine
from ladder.results.standings.standings import Standings
from reports.report.notes import note_text
from tests.ladder.results.standings.test_standings import MIXED, standings, table


def times(bot: str, wall_ms: float, cpu_ms: float | None) -> MoveTimes:
    known = None if cpu_ms is None else wall_ms
    return MoveTimes(bot, 100, wall_ms, wall_ms, wall_ms, wall_ms, wall_ms, 50, known, cpu_ms)


def slow() -> Standings:
    """Return standings of bots a and b, whose moves take 130 ms instead of 100 ms."""
    side = SideTotals(moves=10, time_us=1_300_000, max_us=140_000)
    found = standings(table("a", "b", MIXED, a=side, b=side))
    assert all(bot.over_budget for bot in found.bots)
    return found


def test_bots_that_all_waited_are_not_blamed() -> None:
    """The list states once that the machine was shared, with the numbers."""
    found = excuse_waiting(slow(), [times("a", 130, 60), times("b", 130, 70)])
    assert not any(bot.over_budget for bot in found.bots)
    assert found.is_shared
    (note,) = [note for note in found.notes if isinstance(note, SharedMachine)]
    assert "for 50% of their move times" in note_text(note)


def test_a_bot_over_its_budget_by_processor_time_is_blamed() -> None:
    """A bot whose processor time is beyond the budget stays marked."""
    found = excuse_waiting(slow(), [times("a", 230, 140), times("b", 130, 70)])
    assert [bot.name for bot in found.bots if bot.over_budget] == ["a"]


def test_a_bot_that_sleeps_beside_busy_ones_is_blamed() -> None:
    """No other bot waited, so the machine was not shared."""
    entries = [times("a", 130, 2), times("b", 99, 98)]
    assert not has_waited(entries[0], entries)
    found = excuse_waiting(slow(), entries)
    assert next(bot for bot in found.bots if bot.name == "a").over_budget
    assert not found.is_shared


@pytest.mark.parametrize("other", [times("b", 130, None), times("b", 0.1, 0.05)])
def test_without_times_of_other_bots_stalls_decide(other: MoveTimes) -> None:
    entries = [times("a", 130, 60), other]
    assert not has_waited(entries[0], entries)
    found = excuse_waiting(slow(), entries)
    assert next(bot for bot in found.bots if bot.name == "a").over_budget
    shared = excuse_waiting(replace(slow(), stalled_games=3), entries)
    assert not next(bot for bot in shared.bots if bot.name == "a").over_budget


def test_a_list_without_slow_bots_is_unchanged() -> None:
    """Waiting that fits into the budget changes nothing."""
    found = slow()
    quick = replace(found, bots=[replace(bot, over_budget=False) for bot in found.bots])
    assert excuse_waiting(quick, [times("a", 90, 40), times("b", 90, 40)]) == quick
    assert shared_note([times("a", 10, 4), times("b", 10, 6)]) == SharedMachine(0.5)
