"""How a search spends its budget."""

import pytest

from bots.protocol import Budget
from bots.simulation_budget import FIRST_CHUNK, spend


class Clock:
    """A clock that advances only when a search works."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


class Counted:
    """A search that only counts simulations, with a fixed cost in seconds."""

    def __init__(
        self, clock: Clock | None = None, cost: float = 0.0, ends_after: int | None = None
    ) -> None:
        self.done = 0
        self.chunks: list[int] = []
        self._clock = clock
        self._cost = cost
        self._ends_after = ends_after

    def advance(self, simulations: int) -> bool:
        self.done += simulations
        self.chunks.append(simulations)
        if self._clock is not None:
            self._clock.time += simulations * self._cost
        return self._ends_after is None or self.done < self._ends_after


def test_a_budget_of_simulations_is_granted_in_one_piece() -> None:
    search = Counted()
    spend(search, Budget(simulations=777), share=0.5, started=0.0)
    assert search.chunks == [777]


def test_a_late_start_still_searches(clock: Clock) -> None:
    """If the time is over before the search begins, it still gets one chunk."""
    search = Counted(clock, 1e-6)
    spend(search, Budget(time_ms=1), share=0.9, started=clock.time - 10, now=clock)
    assert search.chunks == [FIRST_CHUNK]


def test_a_solved_search_stops_early(clock: Clock) -> None:
    """Nothing is spent on a search that has nothing left to find."""
    search = Counted(clock, 1e-6, ends_after=1)
    spend(search, Budget(time_ms=5000), share=0.9, started=clock.time, now=clock)
    assert search.chunks == [FIRST_CHUNK]


@pytest.mark.parametrize("cost", [1e-7, 1e-6, 1e-4])
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_the_time_is_used_to_the_intended_share(clock: Clock, cost: float, share: float) -> None:
    """At a steady speed the last simulation ends at the share of the budget, and no later."""
    started = clock.time
    spend(Counted(clock, cost), Budget(time_ms=50), share=share, started=started, now=clock)
    spent = clock.time - started
    assert share * 0.050 - 2 * cost <= spent <= share * 0.050 + cost


def test_chunks_take_a_millisecond(clock: Clock) -> None:
    """The clock is read about once a millisecond, however fast the search is."""
    search = Counted(clock, 1e-7)
    spend(search, Budget(time_ms=50), share=1.0, started=clock.time, now=clock)
    assert 50 <= len(search.chunks) <= 60
    assert max(search.chunks) == pytest.approx(10_000, rel=0.01)


def test_other_budgets_are_refused() -> None:
    """A search of simulations cannot spend a depth."""
    with pytest.raises(ValueError, match="depth"):
        spend(Counted(), Budget(depth=3), share=0.9, started=0.0)
