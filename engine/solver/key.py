"""The keys of positions in the table: what can still matter."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from engine.compiled import inlined
from engine.solver.memory import SolverQuestion


def key_on(layout: ModuleType) -> Callable[..., Any]:
    """Return `key_of` on the sets of `engine.solver.word` or `engine.solver.lanes`."""
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
        """The position without what can no longer matter.

        `own_lines` are the cells of the open fours of `own`, those without a stone of `other`.

        The rest of the game depends on the free cells and on the open fours of each side: those
        without a stone of the other. A stone in no open four of its side is dead, and takes the
        colour of `own` here; but where that would open a four for `own`, dead stones keep theirs.
        So the open fours read from the key are those of the position, and positions with equal
        keys have equal values at equal plies, since the heights of the columns are in the key.
        Mirrored positions share one where `is_far`: near the end that costs more than it saves.
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
