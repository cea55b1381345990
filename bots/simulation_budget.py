"""The budget of one move, spent by a Monte Carlo search.

The clock is read between chunks of about a millisecond, never inside a kernel.
"""

import time
from collections.abc import Callable
from typing import Protocol

from bots.budget import Budget

CHUNK_SECONDS = 0.001
FIRST_CHUNK = 64
"""Simulations of the first chunk, before the speed is known."""


class Search(Protocol):
    """A search that runs in chunks."""

    def advance(self, simulations: int) -> bool:
        """Make new simulations; return False if more cannot change the result."""
        ...


def spend(
    search: Search,
    budget: Budget,
    *,
    share: float,
    started: float,
    now: Callable[[], float] = time.perf_counter,
) -> None:
    """Advance the search until the budget is spent.

    Args:
        search: the search to advance.
        budget: an exact number of simulations, or a time.
        share: share of the move time that is used, 0 to 1.
        started: `now()` when the move was requested.
        now: the time in seconds.

    """
    if budget.simulations is not None:
        search.advance(budget.simulations)
        return
    if budget.time_ms is None:
        raise ValueError(
            f"a Monte Carlo search takes no budget of {budget.kind}: use time or simulations"
        )
    deadline = started + share * budget.time_ms / 1000
    chunk = FIRST_CHUNK
    before = now()
    # At least one chunk, even if it is late: without a simulation there is no move.
    while search.advance(chunk):
        after = now()
        seconds = max(after - before, 1e-6)
        wanted = min(CHUNK_SECONDS, deadline - after)
        if wanted <= 0:
            return
        # Grow at most fourfold at once: the first chunk of a move is slow because of cold caches.
        chunk = max(1, min(4 * chunk, int(chunk * wanted / seconds)))
        before = after
