"""The settings in which two UCT versions can differ. A version is a row of their values.

The fields stand in the order in which the versions introduced them; a default means "without".
"""

from dataclasses import dataclass

from bots.uct.base_settings import BaseSettings


@dataclass(frozen=True, slots=True)
class Settings(BaseSettings):
    """The settings of one version with a fast search."""

    bitboards: bool = False
    """v5: bitboards on 64-bit words; everything above is part of that search."""
    solve: bool = False
    """v6: results proven at end nodes travel up the tree."""
    reuse: bool = False
    """v7: the next search starts from the node that the game has reached."""
    forced: bool = False
    """v8: forced replies are the only ones expanded, double threats decide."""
    vector: bool = False
    """v10: bitboards in vector registers."""
    distances: bool = False
    """v11: the shortest win, the longest resistance."""
    right_distances: bool = False
    """v12: distances as they are: the best of all proven children, two plies for two threats."""
    urgent: bool = False
    """v13: a node just expanded is visited once more before its siblings are expanded."""
    memory: str = ""
    """The way in which a graph gives memory back: ``emptied`` every tenth move (v14), ``counted``
    references (v15), ``swept`` of positions that cannot follow (v16), ``bump``: nothing is kept
    (v17)."""
    endgame: int = 0
    """v18: empty cells up to which a position is solved exactly where that is quick."""
    careful: int = 0
    """v19: rollouts of 256 that never play below a winning cell of the opponent; above 0 the tree
    never expands such a move either."""
    expect: int = 0
    """v20: visits that a first-play value weighs; 0: unseen children come first."""
    hint: float = 0.0
    """v20: bonus of the first-play value, a mean in 0 .. 1, for each threat that a column makes or
    takes from the opponent."""
