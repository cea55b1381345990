"""Records of pairs from what a test knows about them."""

from collections.abc import Sequence

from db.records.record import Record

CELLS = (0, 1, 4, 5, 8)
"""A cell of the grid for each number of points."""


def record_of(pentanomial: Sequence[int], distinct: int | None = None) -> Record:
    """Return a record with these pairs by points: 0, 1/2, 1 (as two draws), 3/2, 2."""
    grid = [0] * 9
    for cell, count in zip(CELLS, pentanomial, strict=True):
        grid[cell] = int(count)
    return Record(tuple(grid), distinct)
