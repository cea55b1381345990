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


def test_a_work_budget_has_no_clock() -> None:
    """Simulations, nodes and depth are not times."""
    assert GameClock.of(Budget(nodes=5)) is None


def test_a_time_per_move_does_not_pass_to_the_next() -> None:
    """Neither a quick nor a late move changes the time of the next one."""
    clock = clock_of(Budget(time_ms=100))
    for spent_us in (0, 99_000, 140_000):
        clock.spend(spent_us)
        assert clock.left_us == 100_000


def test_a_clock_pays_moves_and_gains_increments() -> None:
    """What a move leaves stays on the clock; a move within the margin empties it."""
    clock = clock_of(Budget(clock=Clock(1000, 100)))
    clock.spend(300_000)
    assert clock.left_us == 800_000
    clock.spend(830_000)
    assert clock.left_us == 100_000


def test_an_overage_pays_only_what_exceeds_the_time_of_a_move() -> None:
    """A quick move saves nothing, and the bank is never refilled."""
    clock = clock_of(Budget(time_ms=100, overage_ms=1000))
    assert clock.left_us == 1_100_000
    clock.spend(40_000)
    assert clock.bank_us == 1_000_000
    clock.spend(350_000)
    assert clock.bank_us == 750_000


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
        {"overage_ms": 5},
        {"nodes": 5, "overage_ms": 5},
        {"time_ms": 5, "overage_ms": 0},
        {"time_ms": 5, "clock": Clock(5)},
        {"clock": Clock(0, 5)},
        {"clock": Clock(5, -1)},
    ],
)
def test_impossible_clocks_are_refused(given_values: dict[str, Any]) -> None:
    """A clock stands alone, and an overage beside a time only."""
    with pytest.raises(ValueError, match=r"exactly one|overage_ms needs"):
        Budget(**given_values)
