"""Forced play: immediate wins, forced replies and where they lead."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from engine.compiled import inlined

# outcomes of `settle`
LOST, DRAWN, OPEN = 0, 1, 2


def settle_on(layout: ModuleType) -> Callable[..., Any]:
    """Build `settle` for the sets of `engine.solver.word` or `engine.solver.lanes`."""
    without, any_cell, several = layout.without, layout.any_cell, layout.several
    landing, below, threats = layout.landing, layout.below, layout.threats

    @inlined
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
