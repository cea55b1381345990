"""Counts of pairs, as rating lists need them."""

from dataclasses import dataclass

from db.records.games import SideTotals


@dataclass(frozen=True, slots=True)
class PairTableRow:
    """The pairs of two revisions in one board class; A is the revision with the lower id."""

    division_id: int
    board_class: str
    a_revision: int
    b_revision: int
    a_name: str
    b_name: str
    counts: tuple[int, ...]
    """Nine pair counts at ``3 * (A's result moving first) + (A's result moving second)``.

    A result is 0 for a loss, 1 for a draw, 2 for a win: ``counts[5]`` are the pairs in which A drew
    moving first and won moving second.
    """
    a: SideTotals
    b: SideTotals
    distinct_pairs: int | None = None
    """Pairs that differ in board or moves; None if they were not counted."""

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return sum(self.counts)

    @property
    def first_mover_points2(self) -> int:
        """Twice the points of the first player in all games, whichever bot that was."""
        return sum(
            self.counts[3 * first + second] * (first + 2 - second)
            for first in range(3)
            for second in range(3)
        )

    @property
    def wdl(self) -> tuple[int, int, int]:
        """Games that A won, drew and lost."""
        grid = self.counts
        tally = [sum(grid[3 * r : 3 * r + 3]) + sum(grid[r::3]) for r in range(3)]
        return tally[2], tally[1], tally[0]

    @property
    def pentanomial(self) -> tuple[int, int, int, int, int]:
        """Pairs by A's points: 0, 1/2, 1, 3/2, 2."""
        ll, ld, lw, dl, dd, dw, wl, wd, ww = self.counts
        return ll, ld + dl, lw + dd + wl, dw + wd, ww


@dataclass(frozen=True, slots=True)
class HistorySlice:
    """The pairs of one slice of a division's games."""

    since: float
    """Start of its earliest pair, in seconds since the epoch."""
    until: float
    """Start of its latest pair, in seconds since the epoch."""
    tables: list[PairTableRow]
    """Without sums of moves."""
