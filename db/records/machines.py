"""Records of a cluster's machines."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MachineRow:
    """A machine of a cluster as it described itself when it joined."""

    name: str
    cpu: str
    """Model of its processors."""
    cores: int
    kernel: str
    """Version of the operating system's kernel."""
    python: str
    numba: str
    ladder: str
    speed: float
    """Speed of the reference search in million positions/s."""


@dataclass(frozen=True, slots=True)
class MachineTableRow:
    """The rated pairs of two revisions that one machine has played."""

    machine: str
    """Name of the machine; machines with equal names count as one that was updated."""
    board_class: str
    a_revision: int
    """The revision with the lower id."""
    b_revision: int
    counts: tuple[int, ...]
    """Nine pair counts as in `db.records.aggregate.PairTableRow`."""
