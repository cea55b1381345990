"""The budget of one move in nodes: the number an alpha-beta search may visit before it asks again.

A clock is read here only, about once a millisecond.
"""

import time

from bots.budget import Budget

CHUNK_SECONDS = 0.001
FIRST_CHUNK = 1000
"""Nodes granted before the speed is known."""
LEAST_CHUNK = 64
UNBOUNDED = 2**62


class NodeBudget:
    """Turns a budget of nodes, time or depth into grants of nodes."""

    def __init__(self, budget: Budget, *, share: float, started: float) -> None:
        """Begin a move.

        Args:
            budget: of one move; a depth grants any number of nodes.
            share: the part of the move time that may be used, 0 to 1.
            started: `time.perf_counter` when the move was asked for.

        Raises:
            ValueError: the budget is one of simulations.

        """
        if budget.simulations is not None:
            raise ValueError("an alpha-beta search has no use for a budget of simulations")
        self._nodes = budget.nodes
        self._seconds = None if budget.time_ms is None else share * budget.time_ms / 1000
        self._started = started
        self._chunk = FIRST_CHUNK
        self._asked = started
        self.visited = 0
        """Nodes of this move."""

    def grant(self, part: float = 1.0) -> int:
        """Nodes that may be visited now; 0 when that part of the budget is used up."""
        if self._nodes is not None:
            return max(0, int(part * self._nodes) - self.visited)
        if self._seconds is None:
            return UNBOUNDED
        now = self._asked = time.perf_counter()
        left = self._started + part * self._seconds - now
        if left <= 0:
            # However late it is, a search without a node has no move to make. The first chunk
            # takes less than a tenth of a millisecond and sees two plies.
            return max(0, FIRST_CHUNK - self.visited)
        return max(LEAST_CHUNK, int(self._chunk * min(1.0, left / CHUNK_SECONDS)))

    def take(self, nodes: int) -> None:
        """Book the nodes visited of a grant."""
        self.visited += nodes
        if self._seconds is not None and nodes:
            seconds = max(time.perf_counter() - self._asked, 1e-6)
            # Grow at most fourfold at once: the first chunk of a move meets cold caches.
            wanted = int(nodes * CHUNK_SECONDS / seconds)
            self._chunk = max(LEAST_CHUNK, min(4 * self._chunk, wanted))

    def is_past(self, part: float) -> bool:
        """Whether that part of the budget is used up."""
        return self.grant(part) == 0
