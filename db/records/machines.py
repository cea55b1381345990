"""Machines of clusters, on their way into the store and out of it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MachineRow:
    """A machine as it described itself when it joined."""

    name: str
    cpu: str
    """The model of its processors."""
    cores: int
    kernel: str
    """Of the operating system."""
    python: str
    numba: str
    ladder: str
    speed: float
    """Million positions a second of the reference search."""
    pairs: int = 0
    """That it has played; set by the store."""


@dataclass(frozen=True, slots=True)
class MachineTableRow:
    """The rated pairs of two revisions that one machine has played, from A's view."""

    machine: str
    """The name; machines of one name count as one, which was updated."""
    board_class: str
    a_revision: int
    """The lower one."""
    b_revision: int
    counts: tuple[int, ...]
    """Nine numbers, as in `db.records.aggregate.PairTableRow`."""
