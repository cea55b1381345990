"""Results of every two bots against each other, compared with the rating list."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from db.records.aggregate import PairTableRow
from ladder.stats.elo import Z95, elo_to_score
from ladder.stats.pool.rating import Pool


@dataclass(frozen=True, slots=True)
class PairingResult:
    """The result of A against B."""

    a: str
    b: str
    wins: int
    draws: int
    losses: int
    score: float
    """A's points per game."""
    error95: float
    """Half width of the score's 95 % interval, clustered by pair."""
    z: float | None
    """Points above the list's expectation, in standard errors; None if a bot is unrated."""

    @property
    def games(self) -> int:
        """Number of games between the two."""
        return self.wins + self.draws + self.losses


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


@dataclass(slots=True)
class _Meeting:
    """Sums over all pairs of A against B."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: int = 0
    squares: int = 0
    """Sum of squares of the half points by which pairs exceed one point."""
    expected: float | None = 0.0
    """Points that the list expects of A; None if a bot is unrated."""


def summarize_pairings(tables: Sequence[PairTableRow], pool: Pool | None) -> list[PairingResult]:
    """Return the results of every two bots that met, both ways round, compared with a list."""
    meetings: dict[tuple[str, str], _Meeting] = {}
    for row in tables:
        met = meetings.setdefault((row.a_name, row.b_name), _Meeting())
        wins, draws, losses = row.wdl
        met.wins += wins
        met.draws += draws
        met.losses += losses
        met.pairs += row.pairs
        met.squares += sum(count * (half - 2) ** 2 for half, count in enumerate(row.pentanomial))
        expected = _expected(row, pool)
        if met.expected is not None:
            met.expected = None if expected is None else met.expected + expected
    return [
        pairing
        for (a, b), met in meetings.items()
        for pairing in (_pairing(a, b, met), _mirrored(_pairing(a, b, met)))
    ]


def _expected(row: PairTableRow, pool: Pool | None) -> float | None:
    """Return the points that the list expects of A in a table's games."""
    players = () if pool is None else pool.rating.players
    if pool is None or row.a_name not in players or row.b_name not in players:
        return None
    rating = pool.rating
    gap = float(rating.elo[players.index(row.a_name)] - rating.elo[players.index(row.b_name)])
    edge = float(rating.advantage[rating.classes.index(row.board_class)])
    return row.pairs * (elo_to_score(elo=gap + edge) + elo_to_score(elo=gap - edge))


def _pairing(a: str, b: str, met: _Meeting) -> PairingResult:
    games = 2 * met.pairs
    points = met.wins + met.draws / 2
    mean = 2 * points / met.pairs - 2
    variance = max(met.squares / met.pairs - mean**2, 0.0) / 4  # of a pair, in points squared
    spread = math.sqrt(max(variance * met.pairs, 0.25))
    z = None if met.expected is None else (points - met.expected) / spread
    return PairingResult(
        a, b, met.wins, met.draws, met.losses, points / games, Z95 * spread / games, z
    )


def _mirrored(pairing: PairingResult) -> PairingResult:
    """Return the result of B against A."""
    return PairingResult(
        pairing.b,
        pairing.a,
        pairing.losses,
        pairing.draws,
        pairing.wins,
        1.0 - pairing.score,
        pairing.error95,
        None if pairing.z is None else -pairing.z,
    )


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
