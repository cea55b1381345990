"""The words of a node in trees and graphs: its outcome, its meta word, its place among siblings.

Siblings (children or edges of a node) are a block in an array of 32-bit integers. Equal fields are
adjacent, so that a vector register loads all of them at once::

    head owner | field 0 x k | field 1 x k | field 2 x k | field 3 x k        k siblings

    head    k in bits 0..7, number of siblings made from bit 8 on

A sibling is identified by the place `at` of its field 0 and the stride `k` of its block: its other
fields are at ``at + k``, ``at + 2 * k`` and ``at + 3 * k``.

The meta word of a node::

    bits 0..11    columns not yet expanded
         12..15   the column of the move into the node (trees; a graph keeps it on the edge)
         16..17   outcome for the mover, the side whose move led into the node
         18..25   plies from the node to the proven end
         26       trees: the node exists for selection only; graphs: the side to move
"""

from typing import Final, TypeAlias

import numpy as np

from engine.compiled import inlined

Integer: TypeAlias = int | np.int32 | np.int64

OPEN: Final = 0
WON: Final = 1
DRAWN: Final = 2
LOST: Final = 3

WIN_POINTS: Final = 2
"""Points of a won game after a rollout; a draw is half of it."""

HEAD: Final = 2
"""Number of integers before the first sibling."""
FIELDS: Final = 4
FIRST_FREE: Final = HEAD + FIELDS
"""Place of the first block; below it is the root of a tree, and 0 means no block."""
SLACK: Final = 64
"""Unused integers at the end, because a register always reads sixteen."""

COLUMNS: Final = 0xFFF
"""Mask of the columns that are not yet expanded."""
COLUMN: Final = 12
"""Lowest bit of the column field; likewise `OUTCOME`, `DISTANCE` and `SIDE`."""
OUTCOME: Final = 16
DISTANCE: Final = 18
SIDE: Final = 26
UNSEEN: Final = 1 << 26
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
def points_of(outcome: Integer, win: int) -> int:
    """Return the points of a solved node's mover, when a win counts `win` and a draw half of it."""
    return win if outcome == WON else (win // 2 if outcome == DRAWN else 0)
