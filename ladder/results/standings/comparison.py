"""Comparison of bots: which is stronger, and in which games the difference arises."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from db.records.aggregate import PairTableRow
from db.records.bots import remedy_for
from db.records.games import GameQuery
from db.records.record import Record
from db.store import Store
from engine.result import Result
from ladder.errors import UsageError
from ladder.results.standings.division import DivisionGames, standings_of_division
from ladder.results.standings.head_to_head import HeadToHead
from ladder.results.standings.notes import Note
from ladder.results.standings.standings import WITH_GAMES, BotStanding, Standings
from ladder.stats.difference import Difference
from ladder.stats.pool.rating import RatingOptions

BY_LIST = "by all games of the list"
"""The games that a difference of a rating list is about."""
LOSSES_NAMED = 5
"""Number of games lost by one bot to another to list."""


@dataclass(frozen=True, slots=True)
class ComparedBot:
    """One of the compared bots."""

    standing: BotStanding
    by_class: Mapping[str, Record]
    """Against all opponents, by board class."""
    opponents: Mapping[str, Record]

    @property
    def record(self) -> Record:
        """Against all opponents."""
        return Record.total(self.by_class.values())


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """The difference between two of the compared bots."""

    met: HeadToHead
    """The games between them."""
    difference: Difference
    """A over B, from all games of the pool; without numbers if no games connect them."""
    pairs_to_halve: int | None = None
    """Number of pairs between them that would halve the error."""
    reason: str = ""
    """Why there is no difference."""
    lost_by_a: tuple[int, ...] = ()
    """Numbers of the latest games that A lost to B, newest first."""
    lost_by_b: tuple[int, ...] = ()

    @property
    def sentence(self) -> str:
        """The difference as a sentence, which names the games that it is about."""
        a, b = self.met.a, self.met.b
        if self.difference.elo is None:
            return f"{a} and {b} cannot be compared: {self.reason}"
        if self.difference.chance is not None and self.difference.chance < 0.5:
            text = self.difference.mirrored.sentence(b, a)
        else:
            text = self.difference.sentence(a, b)
        text += f", {BY_LIST}"
        if self.pairs_to_halve is None:
            return text
        return f"{text}; {self.pairs_to_halve} more pairs would halve the error"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of some bots of a division."""

    label: str
    sides: tuple[ComparedBot, ...]
    """The compared bots in the order in which they were named."""
    versus: tuple[ComparedPair, ...]
    """The differences of every two of them."""
    common: tuple[str, ...]
    """Other bots that all of them have met."""
    notes: tuple[Note, ...]


def compare(
    store: Store,
    games: DivisionGames,
    names: Sequence[str],
    *,
    options: RatingOptions | None = None,
) -> Comparison:
    """Compare bots by the rated games of a division.

    Args:
        store: the open database.
        games: the games of the division.
        names: names of the bots.
        options: rating options.

    Raises:
        UsageError: there are fewer than two names, a repeated one, or one without games.

    """
    if len(names) < 2 or len(set(names)) < len(names):
        raise UsageError(f"name two or more different bots to compare, got {', '.join(names)}")
    standings = standings_of_division(store, games, options=options, with_others=False)
    found = {bot.name: bot for bot in standings.bots}
    for name in names:
        if name not in found:
            raise UsageError(
                f"{name!r} has no rated games in {games.division.label}: "
                f"{remedy_for(name, set(found) - set(names), WITH_GAMES)}"
            )
    sides = tuple(_side(found[name], games.tables) for name in names)
    met = [set(side.opponents) for side in sides]
    return Comparison(
        label=games.division.label,
        sides=sides,
        versus=tuple(
            _with_losses(store, games, _versus(a, b, standings)) for a, b in combinations(names, 2)
        ),
        common=tuple(sorted(set.intersection(*met) - set(names))),
        notes=tuple(standings.notes),
    )


def _side(standing: BotStanding, tables: Sequence[PairTableRow]) -> ComparedBot:
    name = standing.name
    classes: defaultdict[str, Record] = defaultdict(Record)
    opponents: defaultdict[str, Record] = defaultdict(Record)
    for row in tables:
        if name not in (row.a_name, row.b_name):
            continue
        is_a = name == row.a_name
        own, other = (row.record, row.b_name) if is_a else (row.record.mirrored, row.a_name)
        classes[row.board_class] += own
        opponents[other] += own
    return ComparedBot(standing, classes, opponents)


def _with_losses(store: Store, games: DivisionGames, versus: ComparedPair) -> ComparedPair:
    """Return a difference with the numbers of the latest games lost by either bot."""

    def find_losses(loser: str, winner: str, count: int) -> tuple[int, ...]:
        if not count:
            return ()
        query = GameQuery(
            bot=loser,
            opponent=winner,
            result=Result.LOSS,
            division_id=games.division.id,
            rated=True,
            since=games.since,
        )
        return tuple(game.id for game in store.games.newest(query, LOSSES_NAMED))

    a, b = versus.met.a, versus.met.b
    wdl = versus.met.record.wdl
    return replace(
        versus,
        lost_by_a=find_losses(a, b, wdl.losses),
        lost_by_b=find_losses(b, a, wdl.wins),
    )


def _versus(a: str, b: str, standings: Standings) -> ComparedPair:
    """Return the difference between two bots, without the numbers of lost games."""
    versus = ComparedPair(standings.head_to_head(a, b), standings.difference(a, b))
    pool = standings.pool
    if pool is None or a not in pool.places or b not in pool.places:
        return replace(versus, reason="no games connect them")
    if versus.difference.elo is None:
        return replace(versus, reason="both won every game, or both lost every game")
    needed = pool.rating.pairs_to_halve(a=pool.places[a], b=pool.places[b])
    return replace(versus, pairs_to_halve=max(1, round(needed)))
