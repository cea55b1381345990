"""Budgets of runs and of single bots: how they are written, labelled, stored and shared out."""

import pytest

from db.records.budget import (
    budget_label,
    clock_of,
    is_valid_budget,
    move_limit_ms,
    remaining_times,
    rename_in_budget,
)
from db.records.runs import Conditions, division_label
from engine.board_class import parse_board_classes
from ladder.cli.parsing import parse_budgets
from ladder.errors import UnfitBot, UsageError
from ladder.runs.budgets import Budgets


@pytest.mark.parametrize(
    ("text", "amounts", "label"),
    [
        ("10s+100ms", {"clock_ms": 10_000, "increment_ms": 100}, "10s+100ms"),
        ("1500ms", {"clock_ms": 1500}, "1500ms"),
        ("10s+0", {"clock_ms": 10_000}, "10s"),
        (
            "v17=20s+100ms,10s+100ms",
            {
                "clock_ms": 10_000, "increment_ms": 100,
                "clock_ms@v17": 20_000, "increment_ms@v17": 100,
            },
            "10s+100ms,v17=20s+100ms",
        ),
        (
            "v17=10s,10s+100ms",
            {"clock_ms": 10_000, "increment_ms": 100, "clock_ms@v17": 10_000},
            "10s+100ms,v17=10s",
        ),
        ("v17=10s+1s,10s+1s", {"clock_ms": 10_000, "increment_ms": 1000}, "10s+1s"),
    ],
)  # fmt: skip
def test_clocks_are_read_and_labelled(text: str, amounts: dict[str, int], label: str) -> None:
    """The option, the stored amounts and the label say the same."""
    budgets = parse_budgets(None, None, None, None, clock=text)
    assert budgets.amounts == amounts
    assert is_valid_budget(amounts)
    assert budget_label(amounts) == label


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("v17=200ms,100ms", {"time_ms": 100, "time_ms@v17": 200}),
        ("100ms, v17=2s", {"time_ms": 100, "time_ms@v17": 2000}),
        ("v4=50ms,v17=200ms", {"time_ms": 100, "time_ms@v17": 200, "time_ms@v4": 50}),
        ("v17=100ms,100ms", {"time_ms": 100}),
        ("mine@main=1s,20ms", {"time_ms": 20, "time_ms@mine@main": 1000}),
        ("100ms,200ms", "one time for all"),
        ("v1=1ms,v1=2ms", "names v1 twice"),
        ("=5ms", "the name before ="),
        ("v1=,5ms", "--time: "),
        ("v1=5ms,", "--time: "),
    ],
)
def test_times_of_single_bots_are_read_or_refused(text: str, wanted: dict[str, int] | str) -> None:
    """A bot's own time stands beside that of all others; an equal one is left out."""
    if isinstance(wanted, str):
        with pytest.raises(UsageError, match=wanted):
            parse_budgets(text, None, None, None)
    else:
        amounts = parse_budgets(text, None, None, None).amounts
        assert list(amounts.items()) == list(wanted.items())


def test_overages_are_read_and_labelled() -> None:
    """An overage stands beside the time of a move, with odds of its own."""
    budgets = parse_budgets("v4=50ms,100ms", None, None, None, overage="v17=5s,60s")
    assert budgets.amounts == {
        "time_ms": 100, "time_ms@v4": 50, "overage_ms": 60_000, "overage_ms@v17": 5000,
    }  # fmt: skip
    assert is_valid_budget(budgets.amounts)
    assert budget_label(budgets.amounts) == (
        "100ms+overage60s,v17=100ms+overage5s,v4=50ms+overage60s"
    )
    plain = {"time_ms": 100, "overage_ms": 60_000}
    assert division_label(Conditions("6x7", 4, plain)) == "6x7+4/100ms+overage60s"
    assert str(Budgets(plain)) == "100 ms a move, overage 60s"


@pytest.mark.parametrize(
    "amounts",
    [
        {},
        {"time_ms@v17": 5},
        {"time_ms": 5, "time_ms@": 3},
        {"hours": 2},
        {"increment_ms": 5},
        {"clock_ms": 5, "time_ms": 5},
        {"clock_ms": 5, "increment_ms@v1": 5},
        {"nodes": 5, "overage_ms": 5},
        {"time_ms": 5, "overage_ms@v1": 5},
    ],
)
def test_incomplete_clocks_are_no_budgets(amounts: dict[str, int]) -> None:
    """An import refuses amounts without those that they belong to."""
    assert not is_valid_budget(amounts)


def test_each_bot_gets_its_budget_or_is_refused() -> None:
    """The first work budget that it knows; its own clock or time; players without search any."""
    work = Budgets({"simulations": 400, "nodes": 9000})
    assert work.for_bot("v1", ("time", "simulations")).simulations == 400
    assert work.for_bot("ab1", ("time", "depth", "nodes")).nodes == 9000
    assert work.for_bot("random", ("any",)).simulations == 400
    clocks = Budgets({"clock_ms": 10_000, "increment_ms": 100, "clock_ms@v17": 5000})
    for kinds in (("time", "simulations"), ("any",), ("clock",)):
        own, other = (clocks.for_bot(name, kinds).clock for name in ("v17", "v4"))
        assert own is not None
        assert other is not None
        assert (own.base_ms, own.increment_ms) == (5000, 0)
        assert (other.base_ms, other.increment_ms) == (10_000, 100)
    with pytest.raises(UnfitBot, match="plays on nodes, not on a clock"):
        clocks.for_bot("ab1", ("nodes",))
    assert str(clocks) == "clock 10s+100ms (v17 5s)"
    assert clocks.bots_with_odds == ("v17",)
    assert rename_in_budget(clocks.amounts, {"v17": "x"})["clock_ms@x"] == 5000
    times = parse_budgets("mine@main=1s,20ms", None, None, None)
    assert times.for_bot("mine@main", ("time",)).time_ms == 1000
    assert times.for_bot("v4", ("any",)).time_ms == 20
    assert (times.longest_us(3), times.bots_with_odds) == (3_000_000, ("mine@main",))
    assert str(times) == "20 ms (mine@main 1000 ms) a move"
    times.refuse_unknown_bots(["v4", "mine@main"])
    with pytest.raises(UsageError, match="time: mine@main does not play in this run"):
        times.refuse_unknown_bots(["v4"])


def test_a_bot_with_a_time_of_its_own_is_judged_by_its_share() -> None:
    """A shared library needs as much time per move as a clock gives it in the longest game."""
    budgets = Budgets({"clock_ms": 10_000, "increment_ms": 100})
    assert budgets.share_ms("lib", parse_board_classes("6x7")) == 514
    assert budgets.share_ms("lib", parse_board_classes("6x7,thu")) == 213
    assert Budgets({"time_ms": 100}).share_ms("lib", parse_board_classes("thu")) == 100


def test_times_of_moves_follow_from_the_budget() -> None:
    """A move has a limit only without a bank; each spends its time and earns the increment."""
    assert move_limit_ms({"time_ms": 100}, "v4") == 100
    assert move_limit_ms({"time_ms": 100, "overage_ms": 5000}, "v4") is None
    assert move_limit_ms({"clock_ms": 100}, "v4") is None
    budget = {"clock_ms": 1000, "increment_ms": 10, "clock_ms@b": 500}
    times = [100_000, 50_000, 200_000]
    assert remaining_times(budget, ("a", "b"), times, 1) == (400_000, 960_000, 200_000)
    for other in ({"time_ms": 5}, {"nodes": 5}):
        assert remaining_times(other, ("a", "b"), times, 0) == ()
    assert clock_of({"nodes": 5}, "a") is None
