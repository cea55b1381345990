"""The settings of v1 to v4, on which those of later versions build."""

from dataclasses import dataclass

from bots.errors import SpecError


@dataclass(frozen=True, slots=True)
class BaseSettings:
    """The settings of v1 to v4."""

    c: float = 1.0
    """Exploration constant for values in 0 .. 1."""
    clock_share: float = 2.80 / 3.00
    """Share of the move time that is used (v9: 2.95/3.00)."""
    memory_mib: int = 640
    """Limit of the search's memory in MiB; a search with full memory continues without new
    nodes."""
    win_check: bool = False
    """v2: a rollout first tests for a four just connected."""
    exact: bool = False
    """v3: integer totals, and nodes at the end of the game are flagged."""
    convert: bool = False
    """v4: a new node whose side to move can win at once becomes an end node."""

    def __post_init__(self) -> None:
        if self.memory_mib < 1:
            raise SpecError(f"option 'memory_mib' must be at least 1, got {self.memory_mib}")
