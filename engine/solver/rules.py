"""What is known about a position without a search: forced play, bounds on its score, its key.

The sets are those of `engine.solver.word` or `engine.solver.wide`.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from engine.compiled import lean
from engine.solver.memory import SolverQuestion

# outcomes of `settle`
LOST, DRAWN, OPEN = 0, 1, 2


def settle_on(layout: ModuleType) -> Callable[..., Any]:
    """Build `settle` on a layout."""
    without, any_cell, several = layout.without, layout.any_cell, layout.several
    landing, below, threats = layout.landing, layout.below, layout.threats

    @lean
    def settle(own: Any, other: Any, threatened: Any, ply: int, board: Any) -> Any:
        """Play all forced moves from a position in which the mover has no immediate win.

        `threatened` are the free cells in which the other side would win. Returns the outcome, the
        ply, both sides' stones and the moves that do not lose at once.
        """
        cells, forbidden = board[2], board[3]
        while True:
            land = landing(own | other | forbidden, board) & cells
            safe = without(land, below(threatened, board))
            forced = land & threatened
            if any_cell(forced):
                if several(forced):
                    return LOST, ply, own, other, forced
                safe = safe & forced
            if not any_cell(safe):
                return (LOST if any_cell(land) else DRAWN), ply, own, other, safe
            if several(safe):
                return OPEN, ply, own, other, safe
            own, other = other, own | safe
            ply += 1
            threatened = without(cells, own | other) & threats(other, board)

    return settle


def bounds_on(layout: ModuleType) -> Callable[..., Any]:
    """Build `bounds` on a layout."""
    without, any_cell, several = layout.without, layout.any_cell, layout.several
    landing, connects = layout.landing, layout.connects

    @lean
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


def key_on(layout: ModuleType) -> Callable[..., Any]:
    """Build `key_of` on a layout."""
    without, any_cell, landing = layout.without, layout.any_cell, layout.landing
    open_lines, mirrored, is_less = layout.open_lines, layout.mirrored, layout.is_less

    @lean
    def key_of(
        own: Any,
        other: Any,
        own_lines: Any,
        other_lines: Any,
        board: Any,
        question: SolverQuestion,
        is_far: Any,
    ) -> Any:
        """Return the key of a position, without what can no longer matter.

        `own_lines` are the cells of the open fours of `own`: lines without a stone of `other`.

        The rest of the game depends on the free cells and each side's open fours. A stone in no
        open four of its side is dead: the key counts it as a stone of `own`, unless that would open
        a four for `own`. So the key has the open fours of the position, and the column heights;
        positions with equal keys have equal values at equal plies. If `is_far`, mirrored positions
        share a key; near the end that costs more than it saves.
        """
        cells, forbidden = board[2], board[3]
        occupied = own | other
        own_alive = own & own_lines
        dead = without(occupied, own_alive | (other & other_lines))
        key = own_alive
        if any_cell(dead):
            full = own_alive | dead
            marked = dead & open_lines(full | without(cells, occupied), full, board)
            key = own_alive | without(dead, marked) | (marked & own)
        key = key | landing(occupied | forbidden, board)
        if question.is_symmetric and is_far:
            image = mirrored(key, board, question.columns)
            if is_less(image, key):
                key = image
        return key

    return key_of
