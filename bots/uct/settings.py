"""The settings of the UCT versions, one class for each family.

Fields are in the order in which versions introduced them; a default switches the idea off.
"""

from dataclasses import dataclass

from bots.options import ranged, refuse_unless
from bots.uct.parameters import (
    CAREFUL,
    FIRST_PLAY,
    FORCED,
    LEAVE_SOLVED,
    MOST_ENDGAME,
    RIGHT_DISTANCES,
    SOLVE,
    URGENT,
    UctParameters,
)

MEMORIES = ("emptied", "counted", "swept", "bump")
ROLLOUTS = ("random", "middle", "seven")
MOST_MIB = 4096
"""Largest memory of a search: its nodes are numbered by 31 bits."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The settings that all versions have."""

    c: float = ranged(1.0, 0.0, 100.0)
    """Exploration constant for values in 0 .. 1."""
    clock_share: float = ranged(2.80 / 3.00, 0.001, 1.0)
    """Share of the move time that is used (v9: 2.95/3.00)."""
    memory_mib: int = ranged(640, 1, MOST_MIB)
    """Limit of the search's memory in MiB; a search with full memory continues without new
    nodes."""


@dataclass(frozen=True, slots=True)
class ArraySettings(SearchSettings):
    """The settings of v1 to v4."""

    win_check: bool = False
    """v2: a rollout first tests for a four just connected."""
    exact: bool = False
    """v3: integer totals, and nodes at the end of the game are flagged."""
    convert: bool = False
    """v4: a new node whose side to move can win at once becomes an end node."""

    def __post_init__(self) -> None:
        refuse_unless(self.exact or not self.convert, "convert", "needs exact=yes")


@dataclass(frozen=True, slots=True)
class TreeSettings(SearchSettings):
    """The settings of v5 to v13 and v18 to v20."""

    solve: bool = False
    """v6: results proven at end nodes are backed up."""
    reuse: bool = False
    """v7: the next search reuses the tree below the current position."""
    forced: bool = False
    """v8: only forced replies are expanded, and double threats decide."""
    vector: bool = False
    """v10: bitboards in vector registers: the same decisions, faster."""
    distances: bool = False
    """v11: choose the shortest win and the longest resistance."""
    right_distances: bool = False
    """v12: exact distances: the best of all proven children, two plies for a double threat."""
    urgent: bool = False
    """v13: visit a new node once more before expanding its siblings."""
    endgame: int = ranged(0, 0, MOST_ENDGAME)
    """v18: most empty cells of a position that is solved exactly if that is fast."""
    careful: int = ranged(0, 0, 256)
    """v19: share of rollouts, of 256, that never play below a winning cell of the opponent; above
    0, the tree does not expand such moves either."""
    expect: int = ranged(0, 0, 1000)
    """v20: weight of a first-play value in visits; 0 means that unvisited children come first."""
    hint: float = ranged(0.0, 0.0, 1.0)
    """v20: bonus in the first-play value (0 to 1) for each threat that a column makes or takes
    away."""

    def __post_init__(self) -> None:
        refuse_unless(not self.distances or self.solve, "distances", "needs solve=yes")
        refuse_unless(
            not self.right_distances or (self.distances and self.solve),
            "right_distances",
            "needs distances=yes and solve=yes",
        )
        refuse_unless(not (self.urgent and self.expect), "urgent", "needs expect=0")
        refuse_unless(self.vector or not self.expect, "expect", "needs vector=yes")
        refuse_unless(not self.hint or self.expect > 0, "hint", "needs an expect above 0")

    @property
    def parameters(self) -> UctParameters:
        """The parameters of the kernel."""
        flags = (
            SOLVE * self.solve
            + FORCED * self.forced
            + RIGHT_DISTANCES * self.right_distances
            + URGENT * self.urgent
            + CAREFUL * (self.careful > 0)
            + FIRST_PLAY * (self.expect > 0)
        )
        return UctParameters(
            flags, float(self.c), int(self.careful), int(self.expect), float(self.hint)
        )


@dataclass(frozen=True, slots=True)
class GraphSettings(SearchSettings):
    """The settings of v14 to v17, which have the ideas of v5 to v10."""

    distances: bool = False
    """v11: choose the shortest win and the longest resistance."""
    right_distances: bool = False
    """v12: exact distances: the best of all proven children, two plies for a double threat."""
    urgent: bool = False
    """v13: visit a new node once more before expanding its siblings."""
    memory: str = MEMORIES[0]
    """How memory is freed: ``emptied`` every tenth move (v14), ``counted`` by references (v15),
    ``swept`` of unreachable positions (v16), or ``bump``, cleared every move (v17)."""

    def __post_init__(self) -> None:
        refuse_unless(
            not self.right_distances or self.distances, "right_distances", "needs distances=yes"
        )
        wanted = f"must be one of {', '.join(MEMORIES)}, got {self.memory!r}"
        refuse_unless(self.memory in MEMORIES, "memory", wanted)

    @property
    def flags(self) -> int:
        """The switches of the kernel."""
        return FORCED + RIGHT_DISTANCES * self.right_distances + URGENT * self.urgent


@dataclass(frozen=True, slots=True)
class NoLookaheadSettings(SearchSettings):
    """The settings of the players without look-ahead."""

    reuse: bool = False
    """mcts2: the next search reuses the tree below the current position."""
    solve: bool = False
    """mcts3: results proven at end nodes are backed up."""
    leave: bool = False
    """mcts3: selection avoids decided nodes."""
    rollout: str = ROLLOUTS[0]
    """Column probabilities of rollouts: ``random``, ``middle`` or ``seven``."""
    central: bool = False
    """uct-random: among equal moves, choose the one nearer to the centre."""

    def __post_init__(self) -> None:
        refuse_unless(self.solve or not self.leave, "leave", "needs solve=yes")
        wanted = f"must be one of {', '.join(ROLLOUTS)}, got {self.rollout!r}"
        refuse_unless(self.rollout in ROLLOUTS, "rollout", wanted)

    @property
    def flags(self) -> int:
        """The switches of the kernel."""
        return SOLVE * self.solve + LEAVE_SOLVED * self.leave
