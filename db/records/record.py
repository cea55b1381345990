"""The results of two bots against each other, and the arithmetic of their counts."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from engine.result import Result

CELLS = tuple((first, second) for first in range(3) for second in range(3))
"""Twice the points of A in a pair: moving first, and moving second."""


class Wdl(NamedTuple):
    """Games won, drawn and lost."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Points; a draw is half of one."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float | None:
        """Points per game, 0..1; None without games."""
        return self.points / self.games if self.games else None

    @property
    def mirrored(self) -> "Wdl":
        """The games from the other side."""
        return Wdl(self.losses, self.draws, self.wins)

    def plus(self, other: "Wdl") -> "Wdl":
        """Return the sum with other games."""
        return Wdl(*(one + more for one, more in zip(self, other, strict=True)))


@dataclass(frozen=True, slots=True)
class Record:
    """The pairs of bot A against bot B; the boards may be of one class or of several."""

    grid: tuple[int, ...] = (0,) * 9
    """Pairs at ``3 * (A's result moving first) + (A's result moving second)``.

    A result is 0 for a loss, 1 for a draw, 2 for a win: ``grid[5]`` are the pairs in which A drew
    moving first and won moving second.
    """
    distinct: int | None = None
    """Pairs that differ in board or moves; None if they were not counted."""

    @classmethod
    def of_pair(cls, first: Result, second: Result) -> "Record":
        """Return the record of one pair, from A's results moving first and second."""
        place = 3 * first.points2 + second.points2
        return cls(tuple(int(cell == place) for cell in range(9)))

    @classmethod
    def total(cls, records: Iterable["Record"]) -> "Record":
        """Return the sum of records."""
        total = cls()
        for record in records:
            total += record
        return total

    def __add__(self, other: "Record") -> "Record":
        grid = tuple(one + more for one, more in zip(self.grid, other.grid, strict=True))
        if self.distinct is None and other.distinct is None:
            return Record(grid)
        counted = (each.pairs if each.distinct is None else each.distinct for each in (self, other))
        return Record(grid, sum(counted))

    def __sub__(self, other: "Record") -> "Record":
        return Record(tuple(one - less for one, less in zip(self.grid, other.grid, strict=True)))

    def __mul__(self, times: int) -> "Record":
        return Record(tuple(times * count for count in self.grid))

    @property
    def mirrored(self) -> "Record":
        """The pairs from B's side, who moved first where A moved second."""
        grid = tuple(self.grid[3 * (2 - second) + 2 - first] for first, second in CELLS)
        return Record(grid, self.distinct)

    @property
    def pairs(self) -> int:
        """Number of pairs."""
        return sum(self.grid)

    @property
    def games(self) -> int:
        """Number of games."""
        return 2 * self.pairs

    @property
    def moving_first(self) -> Wdl:
        """A's games in which it moved first."""
        return Wdl(sum(self.grid[6:]), sum(self.grid[3:6]), sum(self.grid[:3]))

    @property
    def moving_second(self) -> Wdl:
        """A's games in which it moved second."""
        return Wdl(sum(self.grid[2::3]), sum(self.grid[1::3]), sum(self.grid[::3]))

    @property
    def wdl(self) -> Wdl:
        """A's games."""
        return self.moving_first.plus(self.moving_second)

    @property
    def first_mover(self) -> Wdl:
        """The games of the side that moved first, whichever bot that was."""
        return self.moving_first.plus(self.moving_second.mirrored)

    @property
    def pentanomial(self) -> tuple[int, int, int, int, int]:
        """Pairs by A's points: 0, 1/2, 1, 3/2, 2."""
        ll, ld, lw, dl, dd, dw, wl, wd, ww = self.grid
        return ll, ld + dl, lw + dd + wl, dw + wd, ww

    @property
    def score(self) -> float | None:
        """A's points per game, 0..1; None without games."""
        return self.wdl.score

    def scaled(self, distinct: int | None) -> tuple[float, ...]:
        """Return the pairs by A's points, scaled to a number of distinct pairs.

        The shares of all pairs are unbiased, and the number of distinct pairs is the evidence: with
        40 distinct pairs of 100, each pair counts 0.4. None leaves them as they are.
        """
        share = 1.0 if distinct is None else distinct / max(self.pairs, 1)
        return tuple(share * count for count in self.pentanomial)

    @property
    def evidence(self) -> tuple[float, ...]:
        """The pairs by A's points, scaled to the number of distinct pairs."""
        return self.scaled(self.distinct)
