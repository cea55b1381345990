"""Everything in which two UCT versions can differ. A version is a row of values for these fields.

The fields stand in the order in which the versions introduced them; a default means "without".
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """The switches and numbers of one version."""

    c: float = 1.0
    """Exploration constant for values in 0 .. 1."""
    clock_share: float = 2.80 / 3.00
    """Part of the move time that is used (v9: 2.95/3.00)."""
    memory_mib: int = 640
    """Cap of the search structures in MiB; the search goes on without growing when it is full."""
    win_check: bool = False
    """v2: a four just connected is noticed when the rollout starts."""
    exact: bool = False
    """v3: integer totals, and the end of the game is flagged when a node is made."""
    convert: bool = False
    """v4: a new node whose side to move can win at once becomes an end node."""
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
    pass_solved: bool = False
    """v19: selection passes over every solved child."""
    safe: bool = False
    """v20: columns in which the opponent would win directly above are not expanded."""
    careful: int = 0
    """v21: how many of 256 rollouts never play below a winning cell of the opponent."""
    expect: int = 0
    """v22: visits that the expectation of an unseen child weighs; 0: unseen children come first."""
    hint: float = 0.0
    """v22: what a threat that a column makes, or takes from the opponent, adds to the expectation
    of a mean in 0 .. 1."""
    endgame: int = 0
    """v23: with at most so many empty cells the position is solved exactly where that is quick."""
