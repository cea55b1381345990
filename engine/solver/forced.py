"""Play without a choice: immediate wins, replies that are forced, and their ends."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from engine.compiled import inlined

# what `settle` finds
LOST, DRAWN, OPEN = 0, 1, 2


def settle_on(layout: ModuleType) -> Callable[..., Any]:
    """Return `settle` on the sets of `engine.solver.word` or `engine.solver.lanes`."""
    without, any_cell, several = layout.without, layout.any_cell, layout.several
    landing, below, threats = layout.landing, layout.below, layout.threats

    @inlined
    def settle(own: Any, other: Any, menaced: Any, ply: int, board: Any) -> Any:
        """Play what is forced, from a position in which the mover cannot win at once.

        `menaced` are the free cells in which the other side would win. Gives what was found, the
        ply, both sides' stones and the moves that do not lose at once.
        """
        cells, forbidden = board[2], board[3]
        while True:
            land = landing(own | other | forbidden, board) & cells
            safe = without(land, below(menaced, board))
            forced = land & menaced
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
            menaced = without(cells, own | other) & threats(other, board)

    return settle
