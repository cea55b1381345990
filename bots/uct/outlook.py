"""The input of the expansion and the rollout of a new node."""

from typing import Any, NamedTuple


class Outlook(NamedTuple):
    """A position and its threats as sets of `engine.lanes` or `engine.vector`.

    A search has most of these sets when it makes a node, so they are not computed again.
    """

    own: Any
    """Stones of the side to move."""
    other: Any
    occupied: Any
    """All stones and the forbidden cell."""
    landing: Any
    """Landing cells."""
    own_threats: Any
    """Cells that complete a four of the side to move."""
    other_threats: Any
    bottoms: Any
    """Lowest cell of each column."""
    cells: Any
    """Cells of the board."""
