"""Bounds on a score that a position shows without a search."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from engine.compiled import inlined


def bounds_on(layout: ModuleType) -> Callable[..., Any]:
    """Return `bounds` on the sets of `engine.solver.word` or `engine.solver.lanes`."""
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
        """Bounds on the score of a node from its cells, as far as they can answer for `beta`.

        `own_lines` are the cells of the open fours of `own`, those without a stone of `other`.

        A side that reaches no four even with all free cells cannot win. Nor does one that the
        other replies to in the same column, when the lower cell of each pair gives it no four:
        the replying side gets the upper ones. Of the columns with an odd number of free cells,
        whose lowest is an upper one, it may get any, less one when the other takes it first.
        """
        cells, forbidden, lower, upper = board[2], board[3], board[5], board[6]
        high = (total - 1 - ply) // 2
        low = -((total - 2 - ply) // 2)
        if low >= beta or high < beta:
            return low, high
        if any_cell(own_lines if beta > 0 else other_lines):
            free = without(cells, own | other)
            seeks = own if beta > 0 else other
            # who moves with an even number of free cells is replied to in every column
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
