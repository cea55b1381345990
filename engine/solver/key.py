"""Table keys of positions, without what can no longer matter."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from engine.compiled import inlined
from engine.solver.memory import SolverQuestion


def key_on(layout: ModuleType) -> Callable[..., Any]:
    """Build `key_of` for the sets of `engine.solver.word` or `engine.solver.lanes`."""
    without, any_cell, landing = layout.without, layout.any_cell, layout.landing
    open_lines, mirrored, is_less = layout.open_lines, layout.mirrored, layout.is_less

    @inlined
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
