"""How the fast searches keep their nodes: blocks of siblings in one array of 32-bit integers.

All children of a node lie in one block, the same fields of siblings beside each other, so that a
vector register takes in all of them at once::

    head owner | visits x k | scores x k | firsts x k | metas x k        k children

A node is named by the place `at` of its visits and the stride `k` of its block: its score is at
``at + k``, the place of its first child at ``at + 2 * k``, its meta at ``at + 3 * k``. Scores are
twice the results, for the side whose move led into the node.

    head    k in bits 0..7, children made so far from bit 8 on
    owner   used while a tree is compacted
    meta    bits 0..11 untried columns, 12..15 the column of the move into the node,
            16..17 outcome for the mover, 18..25 plies from the node to the proven end
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bots.uct.outcome import DRAWN, WON
from engine.compiled import inlined

Tree: TypeAlias = NDArray[np.int32]
Integer: TypeAlias = int | np.int32 | np.int64

HEAD = 2
"""Integers before the first child's visits."""
FIELDS = 4
ROOT = HEAD
"""The root is the only child of the first block."""
FIRST_FREE = HEAD + FIELDS
SLACK = 64
"""Integers kept free at the end, since a register always reads sixteen."""

UNSEEN = 1 << 26
"""In a meta: the node exists for selection only, with what is expected of it."""
COLUMNS = 0xFFF
COLUMN = 12
OUTCOME = 16
DISTANCE = 18

PASSED_OVER = -(1 << 30)
"""The score of a solved node that selection must not choose again; its outcome is in its meta."""


@inlined
def outcome_of(meta: Integer) -> Integer:
    """`OPEN`, or what is proven for the mover."""
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
