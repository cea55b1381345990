"""Comparison of bots: which is stronger, and in which games the difference arises."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from db.records.aggregate import PairTableRow
from db.records.bots import remedy_for
from db.records.games import GameQuery
from db.records.runs import DivisionRow
from db.store import Store
from engine.result import Result
from ladder.errors import UsageError
from ladder.results.standings.division import current_tables, standings_of_division
from ladder.results.standings.notes import Note
from ladder.results.standings.standings import WITH_GAMES, BotStanding, Standings
from ladder.stats.pool.rating import RatingOptions

CLEAR = 0.975
"""Likelihood of superiority from which a difference is significant: 95 %, two-sided."""

LOSSES_NAMED = 5
"""Number of games lost by one bot to another to list."""


@dataclass(frozen=True, slots=True)
class Share:
    """A bot's points in some of its games."""

    games: int = 0
    points: float = 0.0

    @property
    def score(self) -> float | None:
        """Points per game; None without games."""
        return self.points / self.games if self.games else None

    def plus(self, games: int, points: float) -> "Share":
        """Return the share with more games added."""
        return Share(self.games + games, self.points + points)


@dataclass(frozen=True, slots=True)
class ComparedBot:
    """One of the compared bots."""

    standing: BotStanding
    by_class: Mapping[str, Share]
    first: Share
    """Games in which it moved first."""
    second: Share
    opponents: Mapping[str, Share]


@dataclass(frozen=True, slots=True)
class BotDifference:
    """The difference between two of the compared bots."""

    a: str
    b: str
    wdl: tuple[int, int, int]
    """A's wins, draws and losses against B."""
    pentanomial: tuple[int, int, int, int, int]
    """Pairs between them by A's points: 0, 1/2, 1, 3/2, 2."""
    elo: float | None = None
    """Elo of A minus Elo of B, from all games of the pool; None if no games connect them."""
    error95: float | None = None
    los: float | None = None
    """Chance that A is stronger."""
    at_least: float | None = None
    """95 % lower bound of the difference, if A won or B lost all its games; else None."""
    at_most: float | None = None
    """95 % upper bound of the difference, if A lost or B won all its games; else None."""
    pairs_to_halve: int | None = None
    """Number of pairs between them that would halve the error."""
    reason: str = ""
    """Why there is no difference."""
    lost_by_a: tuple[int, ...] = ()
    """Numbers of the latest games that A lost to B, newest first."""
    lost_by_b: tuple[int, ...] = ()

    @property
    def sentence(self) -> str:
        """The difference as a sentence."""
        if self.elo is None or self.error95 is None or self.los is None:
            return f"{self.a} and {self.b} cannot be compared: {self.reason}"
        strong, weak, gap, los, bound = self.a, self.b, self.elo, self.los, self.at_least
        if gap < 0:
            strong, weak, gap, los = weak, strong, -gap, 1.0 - los
            bound = None if self.at_most is None else -self.at_most
        if bound is not None:
            by = f"by at least {bound:.0f} Elo (95 %), as one of them won or lost every game"
            is_clear = bound > 0
        else:
            by = f"by {gap:.0f} ± {self.error95:.0f} Elo"
            is_clear = los >= CLEAR
        if is_clear:
            text = f"{strong} is stronger than {weak} {by}"
        elif bound is not None:
            text = f"{strong} looks stronger than {weak} {by}, which may be chance"
        else:
            text = f"{strong} looks stronger than {weak} {by}, which may be chance ({los:.0%} sure)"
        if self.pairs_to_halve is None:
            return text
        return f"{text}; {self.pairs_to_halve} more pairs would halve the error"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of some bots of a division."""

    label: str
    sides: tuple[ComparedBot, ...]
    """The compared bots in the order in which they were named."""
    versus: tuple[BotDifference, ...]
    """The differences of every two of them."""
    common: tuple[str, ...]
    """Other bots that all of them have met."""
    notes: tuple[Note, ...]


def compare(
    store: Store,
    division: DivisionRow,
    names: Sequence[str],
    *,
    since: float | None = None,
    options: RatingOptions | None = None,
) -> Comparison:
    """Compare bots by the rated games of a division.

    Args:
        store: the open database.
        division: the division.
        names: names of the bots.
        since: leave out games that started before, in epoch seconds.
        options: rating options.

    Raises:
        UsageError: there are fewer than two names, a repeated one, or one without games.

    """
    if len(names) < 2 or len(set(names)) < len(names):
        raise UsageError(f"name two or more different bots to compare, got {', '.join(names)}")
    standings = standings_of_division(
        store, division, since=since, options=options, with_others=False
    )
    tables, _ = current_tables(store, division, since=since)
    found = {bot.name: bot for bot in standings.bots}
    for name in names:
        if name not in found:
            raise UsageError(
                f"{name!r} has no rated games in {division.label}: "
                f"{remedy_for(name, set(found) - set(names), WITH_GAMES)}"
            )
    sides = tuple(_side(found[name], tables) for name in names)
    met = [set(side.opponents) for side in sides]
    return Comparison(
        label=division.label,
        sides=sides,
        versus=tuple(
            _with_losses(store, division, _versus(a, b, standings), since)
            for a, b in combinations(names, 2)
        ),
        common=tuple(sorted(set.intersection(*met) - set(names))),
        notes=tuple(standings.notes),
    )


def _pair_counts(row: PairTableRow, name: str) -> list[tuple[int, int, int]]:
    """Return pair counts of one bot: (points2 moving first, points2 moving second, pairs)."""
    cells = [(place // 3, place % 3, count) for place, count in enumerate(row.counts)]
    if name == row.a_name:
        return cells
    return [(2 - second, 2 - first, count) for first, second, count in cells]


def _side(standing: BotStanding, tables: Sequence[PairTableRow]) -> ComparedBot:
    name = standing.name
    classes: dict[str, Share] = {}
    opponents: dict[str, Share] = {}
    first = second = Share()
    for row in tables:
        if name not in (row.a_name, row.b_name):
            continue
        other = row.b_name if name == row.a_name else row.a_name
        for ahead, behind, count in _pair_counts(row, name):
            points = count * (ahead + behind) / 2
            first = first.plus(count, count * ahead / 2)
            second = second.plus(count, count * behind / 2)
            old = classes.get(row.board_class, Share())
            classes[row.board_class] = old.plus(2 * count, points)
            opponents[other] = opponents.get(other, Share()).plus(2 * count, points)
    return ComparedBot(standing, classes, first, second, opponents)


def _with_losses(
    store: Store, division: DivisionRow, versus: BotDifference, since: float | None
) -> BotDifference:
    """Return a difference with the numbers of the latest games lost by either bot."""

    def find_losses(loser: str, winner: str, count: int) -> tuple[int, ...]:
        if not count:
            return ()
        query = GameQuery(
            bot=loser,
            opponent=winner,
            result=Result.LOSS,
            division_id=division.id,
            rated=True,
            since=since,
        )
        return tuple(game.id for game in store.games.newest(query, LOSSES_NAMED))

    won, _, lost_count = versus.wdl
    return replace(
        versus,
        lost_by_a=find_losses(versus.a, versus.b, lost_count),
        lost_by_b=find_losses(versus.b, versus.a, won),
    )


def _versus(a: str, b: str, standings: Standings) -> BotDifference:
    """Return the difference between two bots, without the numbers of lost games."""
    head = standings.head_to_head(a, b)
    versus = BotDifference(a, b, (head.wins, head.draws, head.losses), head.pentanomial)
    pool = standings.pool
    if pool is None or a not in pool.places or b not in pool.places:
        return replace(versus, reason="no games connect them")
    left, right = pool.places[a], pool.places[b]
    gap = pool.rating.difference(a=left, b=right)
    if pool.rating.bounded[left] and pool.rating.bounded[right] and not gap.is_bound:
        return replace(versus, reason="both won every game, or both lost every game")
    return replace(
        versus,
        elo=gap.elo,
        error95=gap.error95,
        los=gap.los,
        at_least=gap.at_least,
        at_most=gap.at_most,
        pairs_to_halve=max(1, round(pool.rating.pairs_to_halve(a=left, b=right))),
    )
