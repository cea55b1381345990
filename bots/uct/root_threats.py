"""Immediate wins and threats at the root."""

from typing import NamedTuple

from engine.position import LANE, Position, connects_four


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
