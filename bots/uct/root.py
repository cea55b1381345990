"""The root of a search: both sides' immediate wins, and the choice of the move."""

from collections.abc import Sequence
from typing import NamedTuple

from bots.uct.nodes import DRAWN, LOST, OPEN, WON
from engine.layout import LANE
from engine.position import Position, connects_four

ENOUGH_VISITS = 0.1
"""v11: least share of the most visited child's visits with which a mean is trusted."""


class RootThreats(NamedTuple):
    """Both sides' immediate wins as sets of columns (bits)."""

    wins: int
    """Columns in which the side to move connects four at once."""
    threats: int
    """Columns in which its opponent would."""


def root_threats(position: Position) -> RootThreats:
    """Find the immediate wins of both sides in a position."""
    own, other = position.stones[position.to_move], position.stones[1 - position.to_move]
    wins = threats = 0
    for column in position.legal_moves():
        cell = 1 << (LANE * column + (position.landing_row(column) or 0))
        wins |= connects_four(own | cell) << column
        threats |= connects_four(other | cell) << column
    return RootThreats(wins, threats)


class Candidate(NamedTuple):
    """A child of the root."""

    column: int
    mean: float
    """Mean result for the root's side to move, 0 .. 1; the exact result if solved."""
    visits: int
    outcome: int
    """`OPEN` or the result proven for the root's side to move."""
    distance: int
    """Plies from the child to the proven end."""


def best_mean(candidates: Sequence[Candidate], columns: int, blocks: int) -> Candidate:
    """Choose as v1 to v10: highest mean; then a won end, a block, more visits, nearer the centre.

    Args:
        candidates: the visited children.
        columns: number of columns of the board.
        blocks: the columns in which the opponent could win at once, as bits.

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
    """Choose as uct-random and its variants: a win, else the best mean, nearer the centre."""
    return max(
        candidates, key=lambda c: (c.outcome == WON, c.mean, -abs(2 * c.column - (columns - 1)))
    )


def best_proven(candidates: Sequence[Candidate], columns: int) -> Candidate:
    """Choose as v11 on: shortest win; longest resistance if all moves lose; else best mean.

    A child with few visits is not chosen for its mean.
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
