"""What the expansion and the rollout of a new node start from."""

from typing import Any, NamedTuple


class Outlook(NamedTuple):
    """A position in sets of cells of `engine.lanes` or `engine.vector`, and its threats.

    A search knows most of it when it makes a node, so nothing is computed again.
    """

    own: Any
    """Stones of the side to move."""
    other: Any
    occupied: Any
    """All stones, and the forbidden cell."""
    landing: Any
    """The cells on which a stone comes to rest now."""
    own_threats: Any
    """The cells that complete a four of the side to move."""
    other_threats: Any
    bottoms: Any
    """The lowest cell of each column."""
    cells: Any
    """The cells of the board."""
