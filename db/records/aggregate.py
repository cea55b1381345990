"""Counts of pairs, as rating lists need them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from db.records.measures import Sums
from db.records.record import Record


@dataclass(frozen=True, slots=True)
class SideTotals:
    """One bot's sums against one opponent, and its forfeits."""

    sums: Sums = field(default_factory=dict)
    failures: Mapping[str, int] = field(default_factory=dict)
    """Forfeited games by termination; kinds without a game may be missing."""


@dataclass(frozen=True, slots=True)
class PairTableRow:
    """The pairs of two revisions in one board class; A is the revision with the lower id."""

    division_id: int
    board_class: str
    a_revision: int
    b_revision: int
    a_name: str
    b_name: str
    record: Record
    """Its distinct pairs are None if they were not counted."""
    a: SideTotals
    b: SideTotals


@dataclass(frozen=True, slots=True)
class HistorySlice:
    """The pairs of one slice of a division's games."""

    since: float
    """Start of its earliest pair, in seconds since the epoch."""
    until: float
    """Start of its latest pair, in seconds since the epoch."""
    tables: list[PairTableRow]
    """Without sums of moves."""
