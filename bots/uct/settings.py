"""Everything in which two UCT versions can differ. A version is a row of values for these fields.

The fields stand in the order in which the versions introduced them; a default means "without".
Those of v1 to v4 have a file of their own, so that a new field does not touch what these four are
made of (`bots.identity`).
"""

from dataclasses import dataclass

from bots.uct.base_settings import BaseSettings


@dataclass(frozen=True, slots=True)
class Settings(BaseSettings):
    """The switches and numbers of one version."""

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
    """How a graph gives memory back: ``emptied`` every tenth move (v14), ``counted`` references
    (v15), ``swept`` by what can still be reached (v16), ``bump``: nothing is kept (v17)."""
    endgame: int = 0
    """v18: with at most so many empty cells the position is solved exactly where that is quick."""
    careful: int = 0
    """v19: how many of 256 rollouts never play below a winning cell of the opponent; if any, the
    tree never expands such a move either."""
    expect: int = 0
    """v20: visits that the expectation of an unseen child weighs; 0: unseen children come first."""
    hint: float = 0.0
    """v20: what a threat that a column makes, or takes from the opponent, adds to the expectation
    of a mean in 0 .. 1."""
