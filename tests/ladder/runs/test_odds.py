"""Budgets of single bots: how they are written, and what each bot gets."""

import pytest

from db.records.budget import is_valid_budget
from db.records.runs import Conditions, division_label
from ladder.cli.parsing import parse_budgets
from ladder.errors import UsageError


def amounts(time: str) -> dict[str, int]:
    return dict(parse_budgets(time, None, None, None).amounts)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("v17=200ms,100ms", {"time_ms": 100, "time_ms@v17": 200}),
        ("100ms, v17=2s", {"time_ms": 100, "time_ms@v17": 2000}),
        ("v4=50ms,v17=200ms", {"time_ms": 100, "time_ms@v17": 200, "time_ms@v4": 50}),
        ("v17=100ms,100ms", {"time_ms": 100}),
        ("mine@main=1s,20ms", {"time_ms": 20, "time_ms@mine@main": 1000}),
    ],
)
def test_times_of_single_bots_are_read(text: str, wanted: dict[str, int]) -> None:
    """A bot's own time stands beside that of all others; an equal one is left out."""
    assert amounts(text) == wanted
    assert list(amounts(text)) == list(wanted)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("100ms,200ms", "one time for all"),
        ("v1=1ms,v1=2ms", "names v1 twice"),
        ("=5ms", "the name before ="),
        ("v1=,5ms", "--time: "),
        ("v1=5ms,", "--time: "),
    ],
)
def test_impossible_times_of_single_bots_are_refused(text: str, words: str) -> None:
    """Each must be one sentence about the option."""
    with pytest.raises(UsageError, match=words):
        amounts(text)


def test_each_bot_gets_its_own_time() -> None:
    """The named bot must have its time, all others the common one."""
    budgets = parse_budgets("mine@main=1s,20ms", None, None, None)
    assert budgets.for_bot("mine@main", ("time",)).time_ms == 1000
    assert budgets.for_bot("v4", ("any",)).time_ms == 20
    assert (budgets.longest_us(3), budgets.bots_with_odds) == (3_000_000, ("mine@main",))
    assert str(budgets) == "20 ms (mine@main 1000 ms) a move"
    budgets.refuse_unknown_bots(["v4", "mine@main"])
    with pytest.raises(UsageError, match="time: mine@main does not play in this run"):
        budgets.refuse_unknown_bots(["v4"])


def test_a_division_shows_the_odds() -> None:
    """Its label must name the bot and its time, and its budget be one that is known."""
    budget = amounts("v17=200ms,100ms")
    assert division_label(Conditions("thu", 0, budget)) == "thu/100ms,v17=200ms"
    assert is_valid_budget(budget)
    for wrong in ({}, {"time_ms@v17": 5}, {"time_ms": 5, "time_ms@": 3}, {"hours": 2}):
        assert not is_valid_budget(wrong)
