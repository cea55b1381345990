"""Versions side by side: who is stronger, and where the difference comes from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from db.records.aggregate import PairTableRow
from db.records.bots import remedy_for
from db.records.games import GameQuery, PliesTally
from db.records.runs import DivisionRow
from db.store import Store
from engine.result import Result
from ladder.errors import UsageError
from ladder.results.standings.division import current_tables
from ladder.results.standings.notes import Note
from ladder.results.standings.selection import WITH_GAMES
from ladder.results.standings.standings import BotStanding, build_standings
from ladder.stats.pool.rating import Pool, RatingOptions

LENGTHS = ((0, 19), (20, 29), (30, 39), (40, 59), (60, 999))
"""Games by their plies, openings included; the ends belong to the range."""
CLEAR = 0.975
"""A likelihood of superiority from which one bot is called the stronger: 95 % on two sides."""

LOSSES_NAMED = 5
"""Games that one bot lost to another, told by their numbers."""


@dataclass(frozen=True, slots=True)
class Share:
    """Points of one bot in some of its games."""

    games: int = 0
    points: float = 0.0

    @property
    def score(self) -> float | None:
        """Points per game; None without games."""
        return self.points / self.games if self.games else None

    def plus(self, games: int, points: float) -> "Share":
        """The share with some games more."""
        return Share(self.games + games, self.points + points)


@dataclass(frozen=True, slots=True)
class ComparedBot:
    """One of the compared bots."""

    standing: BotStanding
    by_class: Mapping[str, Share]
    first: Share
    """In the games in which it moved first."""
    second: Share
    by_length: tuple[Share, ...]
    """By `LENGTHS`."""
    opponents: Mapping[str, Share]


@dataclass(frozen=True, slots=True)
class Versus:
    """Two of the compared bots."""

    a: str
    b: str
    elo: float | None
    """A over B in Elo, from all games of the pool; None when no games connect them."""
    error95: float | None
    los: float | None
    """Chance that A is the stronger."""
    at_least: float | None
    """Elo that A is ahead at least, 95 % sure, when A won or B lost all its games; else None."""
    at_most: float | None
    """Elo that A is ahead at most, 95 % sure, when A lost or B won all its games; else None."""
    pairs_to_halve: int | None
    """Pairs between them after which the error would be half of what it is."""
    wdl: tuple[int, int, int]
    """Head to head, from A's side."""
    pentanomial: tuple[int, int, int, int, int]
    reason: str = ""
    """Why there is no difference to tell."""
    lost_by_a: tuple[int, ...] = ()
    """Numbers of the latest games that A lost to B, the newest first."""
    lost_by_b: tuple[int, ...] = ()

    @property
    def sentence(self) -> str:
        """The difference in words."""
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
            said = f"{strong} is stronger than {weak} {by}"
        elif bound is not None:
            said = f"{strong} looks stronger than {weak} {by}, which may be chance"
        else:
            said = f"{strong} looks stronger than {weak} {by}, which may be chance ({los:.0%} sure)"
        if self.pairs_to_halve is None:
            return said
        return f"{said}; {self.pairs_to_halve} more pairs would halve the error"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Some bots of one division."""

    label: str
    sides: tuple[ComparedBot, ...]
    """In the order in which they were asked for."""
    versus: tuple[Versus, ...]
    """Every two of them."""
    common: tuple[str, ...]
    """Opponents, not compared themselves, that all of them have met."""
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
        division: whose games.
        names: of the bots.
        since: only games that began then or later (epoch seconds); None: all.
        options: of the rating list.

    Raises:
        UsageError: fewer than two names, one twice, or one without games in the division.

    """
    if len(names) < 2 or len(set(names)) < len(names):
        raise UsageError(f"a comparison takes two or more different bots, got {', '.join(names)}")
    tables, notes = current_tables(store, division, since=since)
    distinct = store.aggregate.count_distinct(tables, since=since)
    standings = build_standings(
        division, tables, distinct_games=distinct, live={}, notes=notes, options=options
    )
    found = {bot.name: bot for bot in standings.bots}
    for name in names:
        if name not in found:
            raise UsageError(
                f"{name!r} has no rated games in {division.label}: "
                f"{remedy_for(name, found, WITH_GAMES)}"
            )
    lengths = _by_length(store.games.tally_plies(division.id, since=since), tables)
    sides = tuple(_side(found[name], tables, lengths[name]) for name in names)
    met = [set(side.opponents) for side in sides]
    pool = standings.pool
    return Comparison(
        label=division.label,
        sides=sides,
        versus=tuple(
            _with_losses(store, division, _versus(a, b, tables, pool), since)
            for a, b in combinations(names, 2)
        ),
        common=tuple(sorted(set.intersection(*met) - set(names))),
        notes=tuple(standings.notes),
    )


def _seen_from(row: PairTableRow, name: str) -> list[tuple[int, int, int]]:
    """(twice the points moving first, moving second, how many pairs) from one bot's side."""
    cells = [(place // 3, place % 3, count) for place, count in enumerate(row.counts)]
    if name == row.a_name:
        return cells
    return [(2 - second, 2 - first, count) for first, second, count in cells]


def _side(
    standing: BotStanding, tables: Sequence[PairTableRow], lengths: list[Share]
) -> ComparedBot:
    name = standing.name
    classes: dict[str, Share] = {}
    opponents: dict[str, Share] = {}
    first = second = Share()
    for row in tables:
        if name not in (row.a_name, row.b_name):
            continue
        other = row.b_name if name == row.a_name else row.a_name
        for ahead, behind, count in _seen_from(row, name):
            points = count * (ahead + behind) / 2
            first = first.plus(count, count * ahead / 2)
            second = second.plus(count, count * behind / 2)
            old = classes.get(row.board_class, Share())
            classes[row.board_class] = old.plus(2 * count, points)
            opponents[other] = opponents.get(other, Share()).plus(2 * count, points)
    return ComparedBot(standing, classes, first, second, tuple(lengths), opponents)


def _by_length(
    tallies: Iterable[PliesTally], tables: Sequence[PairTableRow]
) -> dict[str, list[Share]]:
    names = {row.a_revision: row.a_name for row in tables}
    names |= {row.b_revision: row.b_name for row in tables}
    shares = {name: [Share()] * len(LENGTHS) for name in names.values()}
    for one in tallies:
        place = next(n for n, (low, high) in enumerate(LENGTHS) if low <= one.plies <= high)
        if one.first_revision not in names or one.second_revision not in names:
            continue  # of a former revision, which the list leaves out, too
        for revision, points2 in (
            (one.first_revision, one.result.points2),
            (one.second_revision, 2 - one.result.points2),
        ):
            own = shares[names[revision]]
            own[place] = own[place].plus(one.games, one.games * points2 / 2)
    return shares


def _with_losses(
    store: Store, division: DivisionRow, versus: Versus, since: float | None
) -> Versus:
    """The numbers of the latest games that either lost to the other."""

    def lost(loser: str, winner: str, count: int) -> tuple[int, ...]:
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
        lost_by_a=lost(versus.a, versus.b, lost_count),
        lost_by_b=lost(versus.b, versus.a, won),
    )


def _versus(a: str, b: str, tables: Sequence[PairTableRow], pool: Pool | None) -> Versus:
    penta, wdl = [0] * 5, [0] * 3
    for row in tables:
        if {row.a_name, row.b_name} == {a, b}:
            for ahead, behind, count in _seen_from(row, a):
                penta[ahead + behind] += count
                wdl[2 - ahead] += count
                wdl[2 - behind] += count
    head = (wdl[0], wdl[1], wdl[2]), (penta[0], penta[1], penta[2], penta[3], penta[4])
    if pool is None or a not in pool.places or b not in pool.places:
        return Versus(a, b, None, None, None, None, None, None, *head, "no games connect them")
    left, right = pool.places[a], pool.places[b]
    gap = pool.rating.difference(a=left, b=right)
    if pool.rating.bounded[left] and pool.rating.bounded[right] and not gap.is_bound:
        why = "both won every game, or both lost every game"
        return Versus(a, b, None, None, None, None, None, None, *head, why)
    more = pool.rating.pairs_to_halve(a=left, b=right)
    return Versus(
        a,
        b,
        gap.elo,
        gap.error95,
        gap.los,
        gap.at_least,
        gap.at_most,
        max(1, round(more)),
        *head,
    )
