"""What a player sees of its own position before it searches: wins and threats in one."""

from typing import NamedTuple

from engine.position import LANE, Position, connects_four


class Look(NamedTuple):
    """Sets of columns as bits."""

    wins: int
    """Where the side to move connects four at once."""
    threats: int
    """Where its opponent would."""


def look_at(position: Position) -> Look:
    """The immediate wins of both sides."""
    own, other = position.stones[position.to_move], position.stones[1 - position.to_move]
    wins = threats = 0
    for column in position.legal_moves():
        cell = 1 << (LANE * column + (position.landing_row(column) or 0))
        wins |= connects_four(own | cell) << column
        threats |= connects_four(other | cell) << column
    return Look(wins, threats)
