"""The meta word of a node in trees and graphs: columns left, outcome, distance.

::

    bits 0..11    columns not yet expanded
         12..15   the column of the move into the node (trees; a graph keeps it on the edge)
         16..17   outcome for the mover, see `bots.uct.outcome`
         18..25   plies from the node to the proven end
         26       trees: the node exists for selection only; graphs: the side to move
"""

from typing import TypeAlias

import numpy as np

from bots.uct.outcome import DRAWN, WON
from engine.compiled import inlined

Integer: TypeAlias = int | np.int32 | np.int64

COLUMNS = 0xFFF
"""Mask of the columns that are not yet expanded."""
COLUMN = 12
"""Lowest bit of the column field; likewise `OUTCOME`, `DISTANCE` and `SIDE`."""
OUTCOME = 16
DISTANCE = 18
SIDE = 26
UNSEEN = 1 << 26
"""Flag of a child without visits."""


@inlined
def outcome_of(meta: Integer) -> Integer:
    """Return `OPEN` or the result proven for the mover."""
    return (meta >> OUTCOME) & 3


@inlined
def column_of(meta: Integer) -> Integer:
    """Return the column of the move into the node."""
    return (meta >> COLUMN) & 15


@inlined
def distance_of(meta: Integer) -> Integer:
    """Return the plies from the node to the proven end."""
    return (meta >> DISTANCE) & 255


@inlined
def points_of(outcome: Integer) -> int:
    """Return twice the result of a solved node for its mover."""
    return 2 if outcome == WON else (1 if outcome == DRAWN else 0)
