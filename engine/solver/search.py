"""The null-window search, which decides whether the score of a position reaches a bound.

**Scores.** With `total` cells on the board and the winner's last stone the `end`-th of the game,
the winner's score is (total + 2 - end) // 2 and the loser's the negative of that; a draw is 0.
A score depends only on the end of the game, so it does not change with the ply of the position. It
determines the distance, because a side plays every other stone.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from engine.compiled import lean
from engine.solver import memory as at
from engine.solver.memory import SolverMemory, SolverQuestion, put_on
from engine.solver.node import FAR, Node, node_on, part_of
from engine.solver.sharing import mark, sharing_on, unmark, unmark_below


def search_on(layout: ModuleType, table: ModuleType) -> Callable[..., Any]:
    """Build the null-window search of one node; see `engine.solver.node.node_on`."""
    load, store, put = layout.load, layout.store, put_on(table)
    node = node_on(layout, table)
    enter_root, enter = node.enter_root, node.enter
    leave_decided, defer_marked = sharing_on(layout, table, node)

    @lean
    def take_value(depth: Any, value: Any, is_shared: Any, memory: SolverMemory) -> None:
        """Back up the score of the child that a node has just searched."""
        frame, first = memory.frames[depth], depth * at.MOST_CHILDREN
        child = memory.children[memory.children[first + frame[at.NEXT] - 1, at.SLOT]]
        if child[at.SIGN]:
            value = -value
        frame[at.BEST] = max(frame[at.BEST], value)
        if is_shared:
            unmark(memory.marks, child[at.CHILD_LINE])

    @lean
    def store_value(depth: Any, nodes: Any, total: int, memory: SolverMemory) -> None:
        """Store the bounds of a node that has been searched in the table."""
        frame = memory.frames[depth]
        low, high = frame[at.LOW], frame[at.HIGH]
        if frame[at.BEST] >= frame[at.BETA]:
            low = max(low, frame[at.BEST])
        else:
            high = min(high, frame[at.BEST])
        put(
            memory.known,
            frame[at.LINE],
            load(memory.sets, depth * at.SETS + at.KEY),
            low,
            high,
            nodes - frame[at.NODES] + 1,
            memory.shape[part_of(memory, total - frame[at.PLY])],
            memory.journal,
        )

    @lean
    def descend(depth: Any, is_shared: Any, memory: SolverMemory) -> None:
        """Write the position and the bounds of a node's next child into the frame below it."""
        frame, below = memory.frames[depth], memory.frames[depth + 1]
        slot = memory.children[depth * at.MOST_CHILDREN + frame[at.NEXT], at.SLOT]
        frame[at.NEXT] += 1
        child = memory.children[slot]
        if is_shared:
            mark(memory.marks, child[at.CHILD_LINE])
        for row in range(at.SETS):
            cells = load(memory.child_sets, slot * at.SETS + row)
            store(memory.sets, (depth + 1) * at.SETS + row, cells)
        below[at.PLY], below[at.LINE] = child[at.CHILD_PLY], child[at.CHILD_LINE]
        if child[at.SIGN]:
            below[at.BETA] = 1 - frame[at.BETA]
            below[at.LOW], below[at.HIGH] = -child[at.CHILD_HIGH], -child[at.CHILD_LOW]
        else:
            below[at.BETA] = frame[at.BETA]
            below[at.LOW], below[at.HIGH] = child[at.CHILD_LOW], child[at.CHILD_HIGH]

    @lean
    def search(
        root: Node,
        beta: int,
        board: Any,
        memory: SolverMemory,
        question: SolverQuestion,
        nodes: int,
        limit: int,
    ) -> Any:
        """Search whether the score of a node is at least `beta`.

        The result is a bound on the score, a lower bound if it is at least `beta`, else an upper
        bound, and the nodes so far; `FAR` if these reached `limit` or the search was stopped.
        """
        frames, total = memory.frames, question.total
        low, high = enter_root(root, beta, board, memory, question)
        if low >= beta:
            return low, nodes
        if high < beta:
            return high, nodes
        depth: Any = np.int64(0)
        entering = True
        value: Any = np.int64(0)
        while True:
            frame = frames[depth]
            is_shared = total - frame[at.PLY] > question.split
            if entering:
                if nodes >= limit or memory.stop[0]:
                    unmark_below(0, depth, memory)
                    return np.int64(FAR), nodes
                nodes += 1
                frame[at.NODES] = nodes
                enter(depth, board, memory, question)
            else:
                take_value(depth, value, is_shared, memory)
            if is_shared and frame[at.BEST] < frame[at.BETA]:
                depth = leave_decided(depth, total, memory)
                frame = frames[depth]
                if frame[at.NEXT] > 0 and frame[at.BEST] < frame[at.BETA]:
                    defer_marked(depth, total, memory)
            entering = frame[at.BEST] < frame[at.BETA] and frame[at.NEXT] < frame[at.CHILDREN]
            if entering:
                descend(depth, is_shared, memory)
                depth += 1
            else:
                value = frame[at.BEST]
                if frame[at.CHILDREN] > 0:
                    store_value(depth, nodes, total, memory)
                if depth == 0:
                    return value, nodes
                depth -= 1

    return search
