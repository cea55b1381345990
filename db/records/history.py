"""Records of a division's results in the order of storing."""

from dataclasses import dataclass, field

from engine.result import Result


@dataclass(frozen=True, slots=True)
class SlicedPairs:
    """The number of pairs with the same revisions, board class and results."""

    a_revision: int
    """The revision that moved first in game 0."""
    b_revision: int
    a_name: str
    b_name: str
    board_class: str
    results: tuple[Result, Result]
    """A's results in game 0 and game 1."""
    count: int


@dataclass(slots=True)
class HistorySlice:
    """The pairs of one slice of a division's games."""

    since: float
    """Start of its earliest pair, in seconds since the epoch."""
    until: float
    """Start of its latest pair, in seconds since the epoch."""
    pairs: list[SlicedPairs] = field(default_factory=list)
