"""The choice of the move at the root, shared by all searches, in plain Python: once a move."""

from collections.abc import Sequence
from typing import NamedTuple

from bots.uct.outcome import DRAWN, LOST, OPEN, WON

ENOUGH_VISITS = 0.1
"""v11: a child with fewer visits than this share of the most visited is not trusted."""


class Candidate(NamedTuple):
    """A child of the root."""

    column: int
    mean: float
    """Mean result for the side to move in the root, 0 .. 1; certain where solved."""
    visits: int
    outcome: int
    """`OPEN`, or the result proven for the side to move in the root."""
    distance: int
    """Plies from the child to the proven end."""


def best_mean(candidates: Sequence[Candidate], columns: int, blocks: int) -> Candidate:
    """v1 to v10: the highest mean; then a won end, a block, more visits, nearer the centre.

    Args:
        candidates: the visited children.
        columns: of the board.
        blocks: the columns, as bits, in which the opponent would win at once.

    """
    return max(
        candidates,
        key=lambda c: (
            c.outcome == WON,
            c.mean,
            c.outcome != LOST,
            bool(blocks >> c.column & 1),
            c.visits,
            -abs(2 * c.column - (columns - 1)),
        ),
    )


def best_central(candidates: Sequence[Candidate], columns: int) -> Candidate:
    """uct-random and its companions: the highest mean, a win before all; then nearer the centre."""
    return max(
        candidates,
        key=lambda c: (c.outcome == WON, c.mean, -abs(2 * c.column - (columns - 1))),
    )


def best_proven(candidates: Sequence[Candidate], columns: int) -> Candidate:
    """v11 on: the shortest win; when all is lost the longest resistance; else the best mean.

    The mean counts only with visits behind it: a child with few visits is passed over.
    """

    def rank(c: Candidate) -> tuple[float, int, int]:
        return (c.mean, c.visits, -abs(2 * c.column - (columns - 1)))

    wins = [c for c in candidates if c.outcome == WON]
    if wins:
        return min(wins, key=lambda c: (c.distance, *(-value for value in rank(c))))
    alive = [c for c in candidates if c.outcome != LOST]
    if not alive:
        return max(candidates, key=lambda c: (c.distance, *rank(c)))
    most = max(c.visits for c in alive if c.outcome != DRAWN) if _any_open(alive) else 0
    trusted = [c for c in alive if c.outcome == DRAWN or c.visits >= ENOUGH_VISITS * most]
    return max(trusted, key=rank)


def _any_open(candidates: Sequence[Candidate]) -> bool:
    return any(c.outcome == OPEN for c in candidates)
