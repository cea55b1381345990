"""Results of a division by the order in which they were stored."""

from dataclasses import dataclass, field

from engine.result import Result


@dataclass(frozen=True, slots=True)
class SlicedPairs:
    """Equal results of pairs of two revisions on one board class."""

    a_revision: int
    """Moved first in game 0."""
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
    """Start of its earliest pair, epoch seconds."""
    until: float
    """Start of its latest pair, epoch seconds."""
    pairs: list[SlicedPairs] = field(default_factory=list)
