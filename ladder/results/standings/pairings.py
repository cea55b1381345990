"""Results of every two bots against each other, compared with the rating list."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from db.records.aggregate import PairTableRow
from db.records.record import Record, Wdl
from ladder.results.standings.head_to_head import HeadToHead, heads_to_head
from ladder.stats.elo import Z95, elo_to_score
from ladder.stats.pool.rating import Pool


@dataclass(frozen=True, slots=True)
class ListedPairing:
    """The record of A against B, compared with the rating list."""

    met: HeadToHead
    error95: float
    """Half width of the score's 95 % interval, clustered by pair."""
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
    found = []
    for line in heads_to_head(tables):
        own = [row for row in tables if (row.a_name, row.b_name) == (line.a, line.b)]
        expected = [_expected(row, pool) for row in own]
        one = _pairing(line, None if None in expected else math.fsum(filter(None, expected)))
        z = None if one.z is None else -one.z
        found += [one, ListedPairing(line.mirrored, one.error95, z)]
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


def _pairing(line: HeadToHead, expected: float | None) -> ListedPairing:
    """Return a pairing; `expected` are the points that the list expects of A."""
    record = line.record
    pairs, points = record.pairs, record.wdl.points
    squares = sum(count * (half - 2) ** 2 for half, count in enumerate(record.pentanomial))
    mean = 2 * points / pairs - 2
    variance = max(squares / pairs - mean**2, 0.0) / 4  # of a pair, in points squared
    spread = math.sqrt(max(variance * pairs, 0.25))
    z = None if expected is None else (points - expected) / spread
    return ListedPairing(line, Z95 * spread / record.games, z)


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
