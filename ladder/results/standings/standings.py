"""Standings: what the stored aggregate of a division says about its bots. Pure functions.

`ladder.results.standings.division` reads the aggregate;
`ladder.results.standings.selection` leaves out bots.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from db.records.aggregate import PairTableRow
from db.records.budget import amount_for
from db.records.runs import DivisionRow
from db.records.sides import SideTotals
from engine.result import Termination
from ladder.results.standings.machines import Agreement
from ladder.results.standings.notes import (
    DelayedMoves,
    NoRatedGames,
    Note,
    RepeatedGames,
    SharedMachine,
)
from ladder.results.standings.pool import pool_notes, rate_tables
from ladder.stats.pool.rating import Pool, RatingOptions

FORFEIT_SHARE = 0.02
FORFEIT_MINIMUM = 3
"""A bot with more forfeits than this share of its games, and at least so many, is marked."""
DISTINCT_SHARE = 0.9
"""Fewer distinct games than this share make a report warn."""


@dataclass(frozen=True, slots=True)
class ForfeitedGame:
    """A game that a bot lost by failing."""

    game: int
    """The game's number, for ``ladder replay``."""
    termination: Termination


@dataclass(frozen=True, slots=True)
class BotStanding:
    """One row of a rating list."""

    name: str
    rank: int
    """From 1 on, among the bots that are ranked."""
    elo: float | None
    """Maximum likelihood over the pool."""
    elo_live: float | None
    """Sequential Elo."""
    error95: float | None
    """Half width of the 95 % interval of `elo`, with the pair as the unit."""
    elo_at_least: float | None
    """The lower bound at 95 % of a bot that won all its games (`elo` is the prior's); else None."""
    elo_at_most: float | None
    """The upper bound at 95 % of a bot that lost all its games; else None."""
    games: int
    wins: int
    draws: int
    losses: int
    forfeits: Mapping[str, int]
    """By termination; all of them are among the losses."""
    simulations_per_second: float | None
    """Simulations, or nodes for players that count those; None when the bot tells nothing."""
    mean_move_ms: float | None
    max_move_ms: float | None
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why a number is None."""
    over_budget: bool = False
    """Whether the mean move takes longer than the budget, the margin and the time that the bot
    waited on a shared machine left aside."""
    retired: bool = False
    """Whether the bot plays no more."""
    forfeit_games: Sequence[ForfeitedGame] = ()
    """The latest of its forfeits, the newest first."""

    @property
    def score(self) -> float:
        """Points per game, a draw counting half."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0

    @property
    def win_rate(self) -> float:
        """Wins per game."""
        return self.wins / self.games if self.games else 0.0

    @property
    def all_forfeits(self) -> int:
        """Games lost by failing."""
        return sum(self.forfeits.values())

    @property
    def unreliable(self) -> bool:
        """More forfeits than a rating can bear."""
        count = self.all_forfeits
        return count >= FORFEIT_MINIMUM and count > FORFEIT_SHARE * self.games


@dataclass(frozen=True, slots=True)
class PairStanding:
    """How two bots did against each other, from A's side."""

    a: str
    b: str
    wins: int
    draws: int
    losses: int
    pentanomial: tuple[int, int, int, int, int]
    """Pairs by A's points in them: 0, 0.5, 1, 1.5, 2."""

    @property
    def mirrored(self) -> "PairStanding":
        """The same games from the side of B."""
        low, below, even, above, high = self.pentanomial
        return PairStanding(
            self.b, self.a, self.losses, self.draws, self.wins, (high, above, even, below, low)
        )


@dataclass(frozen=True, slots=True)
class OtherDivision:
    """A division of the same database, whose games cannot be compared."""

    label: str
    games: int
    """Rated games."""
    unrated_games: int = 0
    """Games of matches and experiments, which do not count in the rating list."""


@dataclass(frozen=True, slots=True)
class Standings:
    """A division's rating list and pair table."""

    boards: str
    budget: Mapping[str, int]
    opening_plies: int | None
    openings: str | None
    """The hash of the set from which they came; None: they were drawn at random."""
    label: str
    games: int
    distinct_games: int
    first_mover_score: float | None
    """Points per game of the side that moved first."""
    draw_rate: float | None
    ranked: int
    """Bots with a rank; `bots` can be some of them."""
    bots: Sequence[BotStanding]
    """Best first."""
    pairs_table: Sequence[PairStanding]
    """Every two of `bots` that met."""
    pool: Pool | None = None
    """The fit behind the list, to compare any two of its bots; None without games."""
    notes: Sequence[Note] = ()
    """What a reader should know before trusting the numbers."""
    stalled_games: int = 0
    """How often the machine did not let a bot run."""
    unrated_games: int = 0
    """Games of the division outside the rating list: those of matches and experiments."""
    other_divisions: Sequence[OtherDivision] = ()
    machines: Agreement | None = None
    """Whether the machines of a cluster agree; None where the games are of one machine."""

    @property
    def pairs(self) -> int:
        """Finished pairs."""
        return self.games // 2

    @property
    def is_shared(self) -> bool:
        """Whether bots waited for the processor of a shared machine."""
        return any(isinstance(note, SharedMachine) for note in self.notes)

    @property
    def anchors(self) -> Mapping[str, float]:
        """Fixed ratings in Elo by name."""
        return {} if self.pool is None else self.pool.rating.options.anchors

    def head_to_head(self, a: str, b: str) -> PairStanding:
        """Return how A did against B; all counts are 0 if they did not meet."""
        for line in self.pairs_table:
            if (line.a, line.b) == (a, b):
                return line
            if (line.a, line.b) == (b, a):
                return line.mirrored
        return PairStanding(a, b, 0, 0, 0, (0, 0, 0, 0, 0))

    @property
    def first_mover_elo(self) -> Mapping[str, float | None]:
        """The fitted first-mover advantage in Elo by board class; None without rated games."""
        if self.pool is None:
            return {}
        rating = self.pool.rating
        met = set(rating.cells.board_class.tolist())
        return {
            name: elo if place in met else None
            for place, (name, elo) in enumerate(
                zip(rating.classes, rating.advantage.tolist(), strict=True)
            )
        }


def first_mover_points2(counts: Sequence[int]) -> int:
    """Twice the points that the side moving first won in both games of all pairs.

    `counts` are the nine of `PairTableRow`.
    """
    return sum(
        counts[3 * first + second] * (first + 2 - second)
        for first in range(3)
        for second in range(3)
    )


@dataclass(slots=True)
class _Sums:
    """Sums of one bot against all others."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    sides: list[SideTotals] = field(default_factory=list)


def build_standings(
    division: DivisionRow,
    tables: Sequence[PairTableRow],
    *,
    distinct_games: int,
    live: Mapping[int, float],
    notes: Sequence[Note],
    stalled_games: int = 0,
    options: RatingOptions | None = None,
    retired: Collection[str] = (),
    forfeit_games: Mapping[int, Sequence[ForfeitedGame]] | None = None,
    other_divisions: Sequence[OtherDivision] = (),
) -> Standings:
    """Standings of all bots in the aggregate, the retired ones too.

    Args:
        division: whose games they are.
        tables: one row for every two revisions and board class.
        distinct_games: how many of their games differ in board or moves.
        live: live Elo by revision.
        notes: to show with them, before those that the tables give.
        stalled_games: how often the machine did not let a bot run.
        options: of the rating list.
        retired: names of bots that play no more.
        forfeit_games: the latest forfeits by revision, the newest first.
        other_divisions: to be named beside this one.

    """
    sums: dict[str, _Sums] = {}
    revisions: dict[str, int] = {}
    lines: dict[tuple[str, str], list[int]] = {}
    first2 = plies = games = draws = 0
    for row in tables:
        wins, drawn, losses = row.wdl
        for name, revision, won, lost, side in (
            (row.a_name, row.a_revision, wins, losses, row.a),
            (row.b_name, row.b_revision, losses, wins, row.b),
        ):
            revisions[name] = revision
            total = sums.setdefault(name, _Sums())
            total.wins += won
            total.draws += drawn
            total.losses += lost
            total.sides.append(side)
        line = lines.setdefault((row.a_name, row.b_name), [0] * 8)
        for place, count in enumerate((wins, drawn, losses, *row.pentanomial)):
            line[place] += count
        first2 += first_mover_points2(row.counts)
        plies += row.plies
        games += 2 * row.pairs
        draws += drawn
    pool = rate_tables(tables, options)
    elo = {} if pool is None else pool.elo
    ranked = sorted(sums, key=lambda name: (-elo.get(name, -math.inf), name))
    bots = [
        replace(
            _bot_standing(name, rank, sums[name], pool, live.get(revisions[name]), division.budget),
            retired=name in retired,
            forfeit_games=(forfeit_games or {}).get(revisions[name], ()),
        )
        for rank, name in enumerate(ranked, start=1)
    ]
    return Standings(
        boards=division.boards,
        budget=division.budget,
        opening_plies=division.opening_plies,
        openings=division.openings,
        label=division.label,
        games=games,
        distinct_games=distinct_games,
        first_mover_score=first2 / 2 / games if games else None,
        draw_rate=draws / games if games else None,
        ranked=len(bots),
        bots=bots,
        pairs_table=[
            PairStanding(
                a, b, line[0], line[1], line[2], (line[3], line[4], line[5], line[6], line[7])
            )
            for (a, b), line in sorted(lines.items())
        ],
        pool=pool,
        notes=[
            *notes,
            *([] if pool is None else pool_notes(pool)),
            *_count_notes(games, distinct_games, stalled_games),
        ],
        stalled_games=stalled_games,
        other_divisions=other_divisions,
    )


def _count_notes(games: int, distinct: int, stalled: int) -> list[Note]:
    notes: list[Note] = []
    if not games:
        notes.append(NoRatedGames())
    elif distinct < DISTINCT_SHARE * games:
        notes.append(RepeatedGames(distinct, games))
    if stalled:
        notes.append(DelayedMoves(stalled, stalled / (games + stalled)))
    return notes


def _bot_standing(
    name: str,
    rank: int,
    sums: _Sums,
    pool: Pool | None,
    live: float | None,
    budget: Mapping[str, int],
) -> BotStanding:
    moves = sum(side.moves for side in sums.sides)
    time_us = sum(side.time_us for side in sums.sides)
    simulations = sum(side.simulations for side in sums.sides)
    searched_us = sum(side.searched_us for side in sums.sides)
    forfeits: dict[str, int] = {}
    for side in sums.sides:
        for kind, count in side.forfeits.items():
            forfeits[kind] = forfeits.get(kind, 0) + count
    speed = per_second(simulations, searched_us)
    mean_ms = time_us / moves / 1000 if moves else None
    reasons = {}
    place = None if pool is None else pool.places.get(name)
    if pool is None or place is None:
        elo = error95 = at_least = at_most = None
        reasons["elo"] = reasons["error95"] = "no games connect it with most of the others"
    else:
        rating = pool.rating
        elo, error95 = float(rating.elo[place]), float(rating.error95[place])
        at_least, at_most = rating.at_least[place], rating.at_most[place]
    if live is None:
        reasons["elo_live"] = "its games are not rated"
    if speed is None:
        reasons["simulations_per_second"] = "the bot tells no simulations or nodes"
    if mean_ms is None:
        reasons["mean_move_ms"] = reasons["max_move_ms"] = "the bot has made no move"
    limit = amount_for(budget, "time_ms", name)
    return BotStanding(
        name=name,
        rank=rank,
        elo=elo,
        elo_live=live,
        error95=error95,
        elo_at_least=at_least,
        elo_at_most=at_most,
        games=sums.wins + sums.draws + sums.losses,
        wins=sums.wins,
        draws=sums.draws,
        losses=sums.losses,
        forfeits=forfeits,
        simulations_per_second=speed,
        mean_move_ms=mean_ms,
        max_move_ms=max((side.max_us for side in sums.sides), default=0) / 1000 if moves else None,
        reasons=reasons,
        over_budget=limit is not None and mean_ms is not None and mean_ms > limit,
    )


def per_second(count: int, time_us: int) -> float | None:
    """A rate, None when nothing was counted or no time passed."""
    return count / time_us * 1e6 if count and time_us else None
