"""The settings of a UCT version.

Fields are in the order in which versions introduced them; a default switches the idea off.
"""

from dataclasses import dataclass

from bots.uct.base_settings import BaseSettings


@dataclass(frozen=True, slots=True)
class Settings(BaseSettings):
    """The settings of one version with a fast search."""

    bitboards: bool = False
    """v5: bitboards in 64-bit words, with all earlier ideas."""
    solve: bool = False
    """v6: results proven at end nodes are backed up."""
    reuse: bool = False
    """v7: the next search reuses the tree below the current position."""
    forced: bool = False
    """v8: only forced replies are expanded, and double threats decide."""
    vector: bool = False
    """v10: bitboards in vector registers."""
    distances: bool = False
    """v11: choose the shortest win and the longest resistance."""
    right_distances: bool = False
    """v12: exact distances: the best of all proven children, two plies for a double threat."""
    urgent: bool = False
    """v13: visit a new node once more before expanding its siblings."""
    memory: str = ""
    """How a graph frees memory: ``emptied`` every tenth move (v14), ``counted`` by references
    (v15), ``swept`` of unreachable positions (v16), or ``bump``, cleared every move (v17)."""
    endgame: int = 0
    """v18: most empty cells of a position that is solved exactly if that is fast."""
    careful: int = 0
    """v19: share of rollouts, of 256, that never play below a winning cell of the opponent; above
    0, the tree does not expand such moves either."""
    expect: int = 0
    """v20: weight of a first-play value in visits; 0 means that unvisited children come first."""
    hint: float = 0.0
    """v20: bonus in the first-play value (0 to 1) for each threat that a column makes or takes
    away."""
