"""Results of every two bots against each other, compared with the rating list."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from db.records.aggregate import PairTableRow
from ladder.results.standings.build import sum_pairs
from ladder.results.standings.standings import PairStanding
from ladder.stats.elo import Z95, elo_to_score
from ladder.stats.pool.rating import Pool


@dataclass(frozen=True, slots=True)
class PairingResult(PairStanding):
    """The result of A against B, compared with the rating list."""

    error95: float = math.nan
    """Half width of the score's 95 % interval, clustered by pair."""
    z: float | None = None
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


def summarize_pairings(tables: Sequence[PairTableRow], pool: Pool | None) -> list[PairingResult]:
    """Return the results of every two bots that met, both ways round, compared with a list."""
    found = []
    for line in sum_pairs(tables):
        own = [row for row in tables if (row.a_name, row.b_name) == (line.a, line.b)]
        expected = [_expected(row, pool) for row in own]
        one = _pairing(line, None if None in expected else math.fsum(filter(None, expected)))
        found += [one, replace(one.mirrored, z=None if one.z is None else -one.z)]
    return found


def _expected(row: PairTableRow, pool: Pool | None) -> float | None:
    """Return the points that the list expects of A in a table's games."""
    players = () if pool is None else pool.rating.players
    if pool is None or row.a_name not in players or row.b_name not in players:
        return None
    rating = pool.rating
    gap = float(rating.elo[players.index(row.a_name)] - rating.elo[players.index(row.b_name)])
    edge = float(rating.advantage[rating.classes.index(row.board_class)])
    return row.pairs * (elo_to_score(elo=gap + edge) + elo_to_score(elo=gap - edge))


def _pairing(line: PairStanding, expected: float | None) -> PairingResult:
    """Return a pairing; `expected` are the points that the list expects of A."""
    pairs, points = line.games / 2, line.wins + line.draws / 2
    squares = sum(count * (half - 2) ** 2 for half, count in enumerate(line.pentanomial))
    mean = 2 * points / pairs - 2
    variance = max(squares / pairs - mean**2, 0.0) / 4  # of a pair, in points squared
    spread = math.sqrt(max(variance * pairs, 0.25))
    z = None if expected is None else (points - expected) / spread
    return PairingResult(**asdict(line), error95=Z95 * spread / line.games, z=z)


def scores_by_class(tables: Sequence[PairTableRow]) -> list[ClassScores]:
    """Return the scores by board class, in the order of their names."""
    found = []
    for name in sorted({row.board_class for row in tables}):
        rows = [row for row in tables if row.board_class == name]
        games = sum(2 * row.pairs for row in rows)
        points: dict[str, list[float]] = {}
        for row in rows:
            wins, draws, losses = row.wdl
            for bot, own in ((row.a_name, wins + draws / 2), (row.b_name, losses + draws / 2)):
                sums = points.setdefault(bot, [0.0, 0.0])
                sums[0] += own
                sums[1] += 2 * row.pairs
        found.append(
            ClassScores(
                name,
                games,
                sum(row.wdl[1] for row in rows),
                sum(row.first_mover_points2 for row in rows) / 2 / games,
                {bot: own / count for bot, (own, count) in sorted(points.items())},
            )
        )
    return found
