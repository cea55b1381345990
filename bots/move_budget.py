"""The budget of one move: simulations of a Monte Carlo search, or nodes of an alpha-beta search.

Only this module reads the clock, between chunks of about a millisecond, never inside a kernel.
"""

import time
from collections.abc import Callable
from typing import Protocol

from bots.budget import Budget

CHUNK_SECONDS = 0.001
FIRST_SIMULATIONS, FIRST_NODES = 64, 1000
"""The first chunk of each kind, before the speed is known."""
LEAST_NODES = 64
UNBOUNDED = 2**62


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
    chunk = FIRST_SIMULATIONS
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


class NodeBudget:
    """A budget of nodes, time or depth that grants nodes."""

    def __init__(
        self,
        budget: Budget,
        *,
        share: float,
        started: float,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Start the budget of a move.

        Args:
            budget: the move's budget; a depth grants any number of nodes.
            share: share of the move time that may be used, 0 to 1.
            started: `now()` when the move was requested.
            now: the time in seconds.

        Raises:
            ValueError: the budget is a number of simulations.

        """
        if budget.simulations is not None:
            raise ValueError(
                "an alpha-beta search takes no budget of simulations: use time, nodes or depth"
            )
        self._nodes = budget.nodes
        self._seconds = None if budget.time_ms is None else share * budget.time_ms / 1000
        self._started = started
        self._now = now
        self._chunk = FIRST_NODES
        self._asked = started
        self.visited = 0
        """Nodes visited for this move."""

    def grant(self, part: float = 1.0) -> int:
        """Grant nodes that may be visited now; return 0 if that part of the budget is spent."""
        if self._nodes is not None:
            return max(0, int(part * self._nodes) - self.visited)
        if self._seconds is None:
            return UNBOUNDED
        now = self._asked = self._now()
        left = self._started + part * self._seconds - now
        if left <= 0:
            # The first chunk is always granted, since a search without nodes has no move. It
            # takes less than a tenth of a millisecond and searches two plies.
            return max(0, FIRST_NODES - self.visited)
        return max(LEAST_NODES, int(self._chunk * min(1.0, left / CHUNK_SECONDS)))

    def record(self, nodes: int) -> None:
        """Record visited nodes."""
        self.visited += nodes
        if self._seconds is not None and nodes:
            seconds = max(self._now() - self._asked, 1e-6)
            # Grow at most fourfold at once: the first chunk of a move is slow, as caches are cold.
            wanted = int(nodes * CHUNK_SECONDS / seconds)
            self._chunk = max(LEAST_NODES, min(4 * self._chunk, wanted))

    def is_past(self, part: float) -> bool:
        """Return whether that part of the budget is spent."""
        return self.grant(part) == 0
