"""The meta word of a node, in trees and graphs alike: columns left, outcome, distance.

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
"""Mask of the columns not yet expanded."""
COLUMN = 12
"""Lowest bit of the column; `OUTCOME`, `DISTANCE` and `SIDE` are lowest bits, too."""
OUTCOME = 16
DISTANCE = 18
SIDE = 26
UNSEEN = 1 << 26
"""Mask of the mark of a child that nobody has visited."""


@inlined
def outcome_of(meta: Integer) -> Integer:
    """`OPEN`, or the result proven for the mover."""
    return (meta >> OUTCOME) & 3


@inlined
def column_of(meta: Integer) -> Integer:
    """The column of the move into the node."""
    return (meta >> COLUMN) & 15


@inlined
def distance_of(meta: Integer) -> Integer:
    """Plies from the node to the proven end."""
    return (meta >> DISTANCE) & 255


@inlined
def points_of(outcome: Integer) -> int:
    """Twice the certain result of a solved node for its mover."""
    return 2 if outcome == WON else (1 if outcome == DRAWN else 0)
