"""The budget of one move, spent by a Monte Carlo search.

The clock is read here, between chunks of about a millisecond, never inside a kernel.
"""

import time
from typing import Protocol

from bots.budget import Budget

CHUNK_SECONDS = 0.001
FIRST_CHUNK = 64
"""Simulations of the first chunk, before the speed is known."""


class Search(Protocol):
    """A search that can be advanced in pieces."""

    def advance(self, simulations: int) -> bool:
        """Make new simulations; False when further ones would change nothing."""
        ...


def spend(search: Search, budget: Budget, *, share: float, started: float) -> None:
    """Advance the search until the budget is used up.

    Args:
        search: what to advance.
        budget: simulations, of which exactly that number is made, or milliseconds.
        share: the part of the move time that is used, 0 to 1.
        started: `time.perf_counter` when the move was asked for.

    """
    if budget.simulations is not None:
        search.advance(budget.simulations)
        return
    if budget.time_ms is None:
        raise ValueError(f"a Monte Carlo search has no use for a budget of {budget.kind}")
    deadline = started + share * budget.time_ms / 1000
    chunk = FIRST_CHUNK
    before = time.perf_counter()
    # At least one chunk, however late it is: a search without a simulation has no move to make.
    while search.advance(chunk):
        after = time.perf_counter()
        seconds = max(after - before, 1e-6)
        wanted = min(CHUNK_SECONDS, deadline - after)
        if wanted <= 0:
            return
        # Grow at most fourfold at once: the first chunk of a move meets cold caches.
        chunk = max(1, min(4 * chunk, int(chunk * wanted / seconds)))
        before = after
