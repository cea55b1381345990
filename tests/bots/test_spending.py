"""How a search spends its budget."""

import time

import pytest

from bots.protocol import Budget
from bots.simulation_budget import (
    FIRST_CHUNK,
    spend,
)


class Counted:
    """A search that only counts, at a fixed cost a simulation."""

    def __init__(self, seconds: float = 0.0, ends_after: int | None = None) -> None:
        self.done = 0
        self.chunks: list[int] = []
        self._seconds = seconds
        self._ends_after = ends_after

    def advance(self, simulations: int) -> bool:
        self.done += simulations
        self.chunks.append(simulations)
        end = time.perf_counter() + simulations * self._seconds
        while time.perf_counter() < end:
            pass
        return self._ends_after is None or self.done < self._ends_after


def test_simulations_are_spent_exactly() -> None:
    """A budget of simulations is passed on as it is, in one piece."""
    search = Counted()
    spend(search, Budget(simulations=777), share=0.5, started=0.0)
    assert search.chunks == [777]


def test_a_late_start_still_searches() -> None:
    """When the time is over before it began, one chunk is searched all the same."""
    search = Counted()
    spend(search, Budget(time_ms=1), share=0.9, started=time.perf_counter() - 10)
    assert search.chunks == [FIRST_CHUNK]


def test_a_solved_search_stops_early() -> None:
    """Nothing is spent on a search that has nothing left to find."""
    search = Counted(1e-6, ends_after=1)
    started = time.perf_counter()
    spend(search, Budget(time_ms=5000), share=0.9, started=started)
    assert time.perf_counter() - started < 1


def test_the_time_is_used_to_the_intended_share() -> None:
    """The last chunk ends near the deadline, neither long before nor long after."""
    best = min(_overrun() for _ in range(5))
    assert best < 2


def _overrun() -> float:
    """How many milliseconds away from the deadline a move of 50 ms ended."""
    started = time.perf_counter()
    spend(Counted(1e-6), Budget(time_ms=50), share=0.9, started=started)
    return abs(1000 * (time.perf_counter() - started) - 45)


def test_other_budgets_are_refused() -> None:
    """A search of simulations cannot spend a depth."""
    with pytest.raises(ValueError, match="depth"):
        spend(Counted(), Budget(depth=3), share=0.9, started=0.0)
