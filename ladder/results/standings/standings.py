"""The records of a rating list.

`ladder.results.standings.division` reads the aggregate of a division and has
`ladder.results.standings.build` compute the list; `ladder.results.standings.standings` leaves out
bots that are not to be shown.
"""

import fnmatch
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from db.records.record import Wdl
from db.records.runs import DivisionRow
from engine.result import Termination
from ladder.names import select_names
from ladder.results.standings.head_to_head import HeadToHead
from ladder.results.standings.notes import Note, PartShown, RetiredLeftOut
from ladder.stats.difference import Difference
from ladder.stats.own_rating import Rating
from ladder.stats.pool.rating import Pool

FORFEIT_SHARE = 0.02
FORFEIT_MINIMUM = 3
"""A bot with at least this number of forfeits, and more than that share, is unreliable."""


@dataclass(frozen=True, slots=True)
class ForfeitedGame:
    """A game that a bot forfeited."""

    game: int
    """Number of the game, for ``ladder replay``."""
    termination: Termination


@dataclass(frozen=True, slots=True)
class BotStanding:
    """One row of a rating list."""

    name: str
    rank: int
    """From 1, among the ranked bots."""
    rating: Rating
    """List rating: maximum likelihood over the pool, its error clustered by pair."""
    results: Wdl
    """Its games against all others."""
    forfeits: Mapping[str, int]
    """Forfeited games by termination; they are among the losses."""
    measures: Mapping[str, float | None]
    """The columns of `db.records.measures` by key."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why fields are None, by field."""
    over_budget: bool = False
    """Whether the mean move takes longer than the budget."""
    retired: bool = False
    """Whether the bot is retired."""
    counts_nodes: bool = False
    """Whether its work is nodes, not simulations."""
    forfeit_games: Sequence[ForfeitedGame] = ()
    """Its latest forfeits, newest first."""

    @property
    def games(self) -> int:
        """Its games."""
        return self.results.games

    @property
    def win_rate(self) -> float:
        """Wins per game."""
        return self.results.wins / self.games if self.games else 0.0

    @property
    def all_forfeits(self) -> int:
        """Number of forfeited games."""
        return sum(self.forfeits.values())

    @property
    def unreliable(self) -> bool:
        """Whether it has too many forfeits for a trustworthy rating."""
        count = self.all_forfeits
        return count >= FORFEIT_MINIMUM and count > FORFEIT_SHARE * self.games


@dataclass(frozen=True, slots=True)
class OtherDivision:
    """Another division of the database, whose games are not comparable."""

    label: str
    games: int
    """Number of rated games."""
    unrated_games: int = 0
    """Number of games of matches and experiments, which are not rated."""


@dataclass(frozen=True, slots=True)
class Standings:
    """The rating list of a division, or of one run, with its pair table."""

    division: DivisionRow
    games: int
    distinct_games: int
    first_mover_score: float | None
    """Points per game of the first player."""
    draw_rate: float | None
    ranked: int
    """Number of ranked bots; `bots` can be fewer."""
    bots: Sequence[BotStanding]
    """The shown bots, best first."""
    pairs_table: Sequence[HeadToHead]
    """Results of every two of `bots` that met."""
    pool: Pool | None = None
    """The fitted ratings, to compare any two bots; None without games."""
    notes: Sequence[Note] = ()
    """What limits the trust in the numbers."""
    stalls: int = 0
    """Delays by the machine: late answers that counted, and pairs played again."""
    unrated_games: int = 0
    """Number of the division's games of matches and experiments."""
    other_divisions: Sequence[OtherDivision] = ()

    @property
    def label(self) -> str:
        """The label of the division."""
        return self.division.label

    @property
    def pairs(self) -> int:
        """Number of finished pairs."""
        return self.games // 2

    @property
    def anchors(self) -> Mapping[str, float]:
        """Fixed ratings in Elo by name."""
        return {} if self.pool is None else self.pool.rating.options.anchors

    def head_to_head(self, a: str, b: str) -> HeadToHead:
        """Return the result of A against B, with zeros if they did not meet."""
        for line in self.pairs_table:
            if (line.a, line.b) == (a, b):
                return line
            if (line.a, line.b) == (b, a):
                return line.mirrored
        return HeadToHead(a, b)

    def difference(self, a: str, b: str) -> Difference:
        """Return the difference of two bots by all games of the list, in some milliseconds."""
        pool = self.pool
        if pool is None or a not in pool.places or b not in pool.places:
            return Difference()
        return pool.rating.difference(a=pool.places[a], b=pool.places[b])

    @property
    def first_mover_elo(self) -> Mapping[str, float | None]:
        """Fitted first-mover advantage in Elo by board class; None for a class without games."""
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


WITH_GAMES = (
    "name a bot of `ladder report`, or choose another division; games of matches and gates are in "
    "no list unless they were played with `--rated`"
)
"""Advice about a name without rated games."""


def select_bots(
    standings: Standings, *, patterns: Sequence[str] = (), retired: bool = False
) -> Standings:
    """Return the list with the bots that a report shows.

    Retired bots are left out, unless `retired` is set, a pattern selects only retired ones, or all
    bots are retired. The list has ranks of its own; ratings are among all bots.

    Args:
        standings: standings of all bots.
        patterns: names or shell patterns; empty for all bots.
        retired: whether to show retired bots.

    Raises:
        UsageError: a pattern selects no bot of the list.

    """
    left_out = {bot.name for bot in standings.bots if bot.retired}
    for pattern in patterns:
        found = fnmatch.filter([bot.name for bot in standings.bots], pattern)
        if left_out.issuperset(found):
            left_out.difference_update(found)
    if retired or len(left_out) == len(standings.bots):
        left_out = set()
    return show_only(_without(standings, left_out), _selected(standings, patterns, left_out))


def show_only(standings: Standings, names: Collection[str] | None) -> Standings:
    """Return the list with the rows of these bots only, ranked anew; None for all rows."""
    bots = [bot for bot in standings.bots if names is None or bot.name in names]
    if len(bots) == len(standings.bots):
        return standings
    return replace(
        standings,
        bots=[replace(bot, rank=rank) for rank, bot in enumerate(bots, start=1)],
        pairs_table=_pairs_among(standings, {bot.name for bot in bots}),
        notes=[*standings.notes, PartShown(len(bots), standings.ranked)],
    )


def _without(standings: Standings, names: Collection[str]) -> Standings:
    """Return the list without retired bots, with new ranks and a note."""
    if not names:
        return standings
    kept = [bot for bot in standings.bots if bot.name not in names]
    return replace(
        standings,
        ranked=len(kept),
        bots=[replace(bot, rank=rank) for rank, bot in enumerate(kept, start=1)],
        pairs_table=_pairs_among(standings, {bot.name for bot in kept}),
        notes=[*standings.notes, RetiredLeftOut(len(names))],
    )


def _selected(
    standings: Standings, patterns: Sequence[str], left_out: Collection[str]
) -> list[str] | None:
    if not patterns:
        return None
    names = [bot.name for bot in standings.bots if bot.name not in left_out]
    return select_names(patterns, names, f"has no rated games in {standings.label}", WITH_GAMES)


def _pairs_among(standings: Standings, names: Collection[str]) -> list[HeadToHead]:
    return [line for line in standings.pairs_table if line.a in names and line.b in names]
