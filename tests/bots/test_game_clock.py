"""The time of one side in a game: charges, increments, and fair shares."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.budget import Budget, Clock, RemainingTime
from bots.game_clock import GameClock, moves_left


def clock_of(budget: Budget) -> GameClock:
    clock = GameClock.of(budget)
    assert clock is not None
    return clock


@pytest.mark.parametrize(
    ("budget", "spent", "left"),
    [
        (Budget(time_ms=100), (0, 99, 140), (100, 100, 100)),
        (Budget(clock=Clock(1000, 100)), (300, 830), (800, 100)),
        (Budget(time_ms=100, overage_ms=1000), (40, 350), (1100, 850)),
    ],
)
def test_what_a_move_leaves_or_exceeds_is_charged(
    budget: Budget, spent: tuple[int, ...], left: tuple[int, ...]
) -> None:
    """A time a move saves nothing, a clock gains its increment, an overage pays what exceeds."""
    clock = clock_of(budget)
    for move_ms, left_ms in zip(spent, left, strict=True):
        clock.spend(1000 * move_ms)
        assert clock.left_us == 1000 * left_ms


@given(
    base_ms=st.integers(1, 100_000),
    increment_ms=st.integers(0, 5000),
    moves=st.integers(1, 72),
)
def test_a_share_of_each_move_never_exceeds_the_clock(
    base_ms: int, increment_ms: int, moves: int
) -> None:
    """A bot without a clock plays its whole game on the share of the first move."""
    clock = clock_of(Budget(clock=Clock(base_ms, increment_ms)))
    share_us = 1000 * clock.share_ms(moves)
    for _ in range(moves):
        assert share_us <= max(clock.left_us, 1000)
        clock.spend(share_us)


def test_shares_of_the_clock_are_those_of_the_documentation() -> None:
    """10 s and 100 ms a move are 514 ms for each of 21 moves; an overage adds to the time."""
    assert clock_of(Budget(clock=Clock(10_000, 100))).share_ms(21) == 514
    assert clock_of(Budget(time_ms=100, overage_ms=21_000)).share_ms(21) == 1000
    left = RemainingTime(yours_ms=10_000, theirs_ms=1, move_ms=1, increment_ms=100)
    assert GameClock.remaining(left).share_ms(21) == 514


def test_moves_are_counted_from_the_side_to_move() -> None:
    """On 42 cells the first player has 21 moves, and one for the last cell."""
    assert [moves_left(42, ply) for ply in (0, 1, 40, 41, 42)] == [21, 21, 1, 1, 1]


@pytest.mark.parametrize(
    "given_values",
    [
        {},
        {"time_ms": 0},
        {"time_ms": 5, "nodes": 5},
        {"simulations": -1},
        {"overage_ms": 5},
        {"nodes": 5, "overage_ms": 5},
        {"time_ms": 5, "overage_ms": 0},
        {"time_ms": 5, "clock": Clock(5)},
        {"clock": Clock(0, 5)},
        {"clock": Clock(5, -1)},
    ],
)
def test_impossible_budgets_are_refused(given_values: dict[str, Any]) -> None:
    """A budget is exactly one amount above 0, and an overage stands beside a time only."""
    with pytest.raises(ValueError, match=r"exactly one|overage_ms needs"):
        Budget(**given_values)
