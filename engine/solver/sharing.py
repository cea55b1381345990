"""Threads that search the same position with one table.

In nodes with many free cells each takes children that no other thread searches, except the first,
which often decides the node; and it leaves a node as soon as another thread has decided it or one
above it. This is a simple form of ABDADA (Weill, 1996).

A mark on a node that a thread searches now is the line of its table entry. Threads set and clear
marks without locks: a wrong one costs time, never a wrong result.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from engine.compiled import lean
from engine.solver import memory as at
from engine.solver.memory import Integers, SolverMemory
from engine.solver.node import NodeKernels, part_of

MARKS = 1 << 12
"""Length of the array of marks."""


@lean
def _place_of(line: np.int64) -> np.int64:
    return (line >> 3) & (MARKS - 1)


@lean
def mark(marks: Integers, line: np.int64) -> None:
    """Mark a node as being searched."""
    marks[_place_of(line)] = line


@lean
def unmark(marks: Integers, line: np.int64) -> None:
    """Remove the mark of a node."""
    if marks[_place_of(line)] == line:
        marks[_place_of(line)] = 0


@lean
def unmark_below(depth: Any, deepest: Any, memory: SolverMemory) -> None:
    """Remove the marks of all nodes on the way from below a depth to the deepest."""
    for left in range(depth + 1, deepest + 1):
        unmark(memory.marks, memory.frames[left, at.LINE])


def sharing_on(
    layout: ModuleType, table: ModuleType, node: NodeKernels
) -> tuple[Callable[..., Any], Callable[..., None]]:
    """Build `leave_decided` and `defer_marked`; see `engine.solver.node.node_on`."""
    load = layout.load
    find, low_of, high_of = table.find, table.low_of, table.high_of
    find_child = node.find_child

    @lean
    def leave_decided(depth: Any, total: int, memory: SolverMemory) -> Any:
        """Return the depth of the highest node that another thread has decided, else `depth`.

        Such a node gets its score and no further children.
        """
        for up in range(depth + 1):
            frame = memory.frames[up]
            key = load(memory.sets, up * at.SETS + at.KEY)
            found = find(
                memory.known,
                frame[at.LINE],
                key,
                memory.shape[part_of(memory, total - frame[at.PLY])],
            )
            if found and (low_of(found) >= frame[at.BETA] or high_of(found) < frame[at.BETA]):
                unmark_below(up, depth, memory)
                low, high = low_of(found), high_of(found)
                frame[at.BEST] = low if low >= frame[at.BETA] else high
                frame[at.NEXT] = frame[at.CHILDREN]
                return np.int64(up)
        return np.int64(depth)

    @lean
    def defer_marked(depth: Any, total: int, memory: SolverMemory) -> None:
        """Drop the children that another thread has decided, and move an unmarked one forward."""
        frame, children, first = memory.frames[depth], memory.children, depth * at.MOST_CHILDREN
        beta = frame[at.BETA]
        kept, chosen = frame[at.NEXT], frame[at.CHILDREN]
        for number in range(frame[at.NEXT], frame[at.CHILDREN]):
            slot = children[first + number, at.SLOT]
            child = children[slot]
            is_known, low, high = find_child(slot, child, total, memory)
            if is_known:
                child[at.CHILD_LOW], child[at.CHILD_HIGH] = low, high
                if low >= beta or high < beta:
                    frame[at.BEST] = max(frame[at.BEST], low if low >= beta else high)
                    continue
            line = child[at.CHILD_LINE]
            if chosen > kept and memory.marks[_place_of(line)] != line:
                chosen = kept
            children[first + kept, at.SLOT] = slot
            kept += 1
        frame[at.CHILDREN] = kept
        if chosen < kept:
            slot = children[first + chosen, at.SLOT]
            while chosen > frame[at.NEXT]:
                children[first + chosen, at.SLOT] = children[first + chosen - 1, at.SLOT]
                chosen -= 1
            children[first + chosen, at.SLOT] = slot

    return leave_decided, defer_marked
