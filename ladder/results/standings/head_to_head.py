"""Results of every two bots against each other, compared with the rating list."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from db.records.aggregate import PairTableRow
from db.records.record import Record, Wdl
from ladder.stats.difference import Difference, Sign, difference_of
from ladder.stats.elo import elo_to_score
from ladder.stats.pool.rating import Pool


class Balance(StrEnum):
    """Which of two bots has made more points against the other."""

    BEATS = "beats"
    EVEN = "even"
    LOSES = "loses to"


@dataclass(frozen=True)
class HeadToHead:
    """The pairs of A against B."""

    a: str
    b: str
    record: Record = Record()  # noqa: RUF009 - it is frozen

    @property
    def mirrored(self) -> "HeadToHead":
        """The pairs of B against A."""
        return HeadToHead(self.b, self.a, self.record.mirrored)

    @cached_property
    def difference(self) -> Difference:
        """The difference of A and B by these pairs alone, in about a millisecond."""
        return difference_of(self.record.evidence)

    @property
    def balance(self) -> Balance:
        """Which of the two has made more points."""
        wins, _, losses = self.record.wdl
        return Balance.BEATS if wins > losses else Balance.LOSES if wins < losses else Balance.EVEN

    @property
    def is_clear(self) -> bool:
        """Whether the interval of the difference excludes zero."""
        return self.difference.verdict is not Sign.UNDECIDED


def heads_to_head(tables: Iterable[PairTableRow]) -> Sequence[HeadToHead]:
    """Return the records of every two bots over all board classes, by name."""
    totals: defaultdict[tuple[str, str], Record] = defaultdict(Record)
    for row in tables:
        totals[row.a_name, row.b_name] += row.record
    return [HeadToHead(a, b, record) for (a, b), record in sorted(totals.items())]


@dataclass(frozen=True, slots=True)
class ListedPairing:
    """The record of A against B, compared with the rating list."""

    met: HeadToHead
    z: float | None
    """Points above the list's expectation, in standard errors; None if a bot is unrated."""


@dataclass(frozen=True, slots=True)
class ClassScores:
    """The games on the boards of one class."""

    board_class: str
    games: int
    draws: int
    first_mover_score: float
    """Points per game of the side that moved first."""
    scores: Mapping[str, float]
    """Points per game by bot."""


def summarize_pairings(tables: Sequence[PairTableRow], pool: Pool | None) -> list[ListedPairing]:
    """Return the records of every two bots that met, both ways round, compared with a list."""
    expected: defaultdict[tuple[str, str], list[float | None]] = defaultdict(list)
    for row in tables:
        expected[row.a_name, row.b_name].append(_expected(row, pool))
    found = []
    for line in heads_to_head(tables):
        points = expected[line.a, line.b]
        z = None if None in points else _residual(line.record, math.fsum(filter(None, points)))
        found.append(ListedPairing(line, z))
        found.append(ListedPairing(line.mirrored, None if z is None else -z))
    return found


def _expected(row: PairTableRow, pool: Pool | None) -> float | None:
    """Return the points that the list expects of A in a table's games."""
    players = () if pool is None else pool.rating.players
    if pool is None or row.a_name not in players or row.b_name not in players:
        return None
    rating = pool.rating
    gap = float(rating.elo[players.index(row.a_name)] - rating.elo[players.index(row.b_name)])
    edge = float(rating.advantage[rating.classes.index(row.board_class)])
    return row.record.pairs * (elo_to_score(elo=gap + edge) + elo_to_score(elo=gap - edge))


def _residual(record: Record, expected: float) -> float:
    """Return A's points above the expected ones, in standard errors clustered by pair."""
    pairs, points = record.pairs, record.wdl.points
    squares = sum(count * (half - 2) ** 2 for half, count in enumerate(record.pentanomial))
    mean = 2 * points / pairs - 2
    variance = max(squares / pairs - mean**2, 0.0) / 4  # of a pair, in points squared
    return (points - expected) / math.sqrt(max(variance * pairs, 0.25))


def scores_by_class(tables: Sequence[PairTableRow]) -> list[ClassScores]:
    """Return the scores by board class, in the order of their names."""
    found = []
    for name in sorted({row.board_class for row in tables}):
        rows = [row for row in tables if row.board_class == name]
        total = Record.total(row.record for row in rows)
        scores: dict[str, Wdl] = {}
        for row in rows:
            wdl = row.record.wdl
            for bot, own in ((row.a_name, wdl), (row.b_name, wdl.mirrored)):
                scores[bot] = scores.get(bot, Wdl()).plus(own)
        found.append(
            ClassScores(
                name,
                total.games,
                total.wdl.draws,
                total.first_mover.score or 0.0,
                {bot: own.score or 0.0 for bot, own in sorted(scores.items())},
            )
        )
    return found
