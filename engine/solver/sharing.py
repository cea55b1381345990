"""Marks on the nodes that threads search now, so that each takes another child of a node.

A mark is the line of the node's table entry. Threads set and clear marks without locks: a wrong one
costs time, never a wrong result.
"""

import numpy as np
from numpy.typing import NDArray

from engine.compiled import inlined

Integers = NDArray[np.int64]

MARKS = 1 << 12
"""Length of the array of marks."""


@inlined
def _place_of(line: np.int64) -> np.int64:
    return (line >> 3) & (MARKS - 1)


@inlined
def mark(marks: Integers, line: np.int64) -> None:
    """Mark a node as being searched."""
    marks[_place_of(line)] = line


@inlined
def unmark(marks: Integers, line: np.int64) -> None:
    """Remove the mark of a node."""
    if marks[_place_of(line)] == line:
        marks[_place_of(line)] = 0


@inlined
def is_marked(marks: Integers, line: np.int64) -> bool:
    """Return whether a thread searches the node."""
    return bool(marks[_place_of(line)] == line)
