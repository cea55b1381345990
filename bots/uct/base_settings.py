"""The settings in which v1 to v4 can differ; those of the later versions start from them.

They have a file of their own, so that a new setting is no change of these four
(`bots.identity`).
"""

from dataclasses import dataclass

from bots.errors import SpecError


@dataclass(frozen=True, slots=True)
class BaseSettings:
    """The settings of v1 to v4."""

    c: float = 1.0
    """Exploration constant for values in 0 .. 1."""
    clock_share: float = 2.80 / 3.00
    """Part of the move time that is used (v9: 2.95/3.00)."""
    memory_mib: int = 640
    """Cap of the search structures in MiB; the search goes on without growing when it is full."""
    win_check: bool = False
    """v2: a rollout begins with a test for a four just connected."""
    exact: bool = False
    """v3: integer totals, and the end of the game is flagged when a node is made."""
    convert: bool = False
    """v4: a new node whose side to move can win at once becomes an end node."""

    def __post_init__(self) -> None:
        if self.memory_mib < 1:
            raise SpecError(f"option 'memory_mib' must be at least 1, got {self.memory_mib}")
