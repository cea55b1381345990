"""Bounds on a score that can be computed without a search."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from engine.compiled import inlined


def bounds_on(layout: ModuleType) -> Callable[..., Any]:
    """Build `bounds` for the sets of `engine.solver.word` or `engine.solver.lanes`."""
    without, any_cell, several = layout.without, layout.any_cell, layout.several
    landing, connects = layout.landing, layout.connects

    @inlined
    def bounds(
        own: Any,
        other: Any,
        own_lines: Any,
        other_lines: Any,
        ply: int,
        beta: int,
        total: int,
        board: Any,
    ) -> Any:
        """Return bounds on the score of a node, computed as far as they can decide `beta`.

        `own_lines` are the cells of the open fours of `own`: lines without a stone of `other`.

        A side cannot win if all free cells would not give it a four. Nor can it win if the opponent
        always replies in the same column and the lower cells of these pairs give it no four,
        because the replying side gets the upper cells. In columns with an odd number of free cells
        the lowest free cell is an upper one: the side may get all of these, or all but one if the
        opponent moves first there.
        """
        cells, forbidden, lower, upper = board[2], board[3], board[5], board[6]
        high = (total - 1 - ply) // 2
        low = -((total - 2 - ply) // 2)
        if low >= beta or high < beta:
            return low, high
        if any_cell(own_lines if beta > 0 else other_lines):
            free = without(cells, own | other)
            seeks = own if beta > 0 else other
            # with an even number of free cells left, every move can be answered in its column
            if ((total - ply) & 1 == 0) != (beta > 0):
                return low, high
            odd = landing(own | other | forbidden, board) & cells & upper
            reach = seeks | (free & lower)
            if beta > 0 or several(odd):
                reach = reach | odd
            if connects(reach, board):
                return low, high
        return (low, 0) if beta > 0 else (0, high)

    return bounds
