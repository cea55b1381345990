"""Reading the standings of a division or of one run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from db.records.aggregate import PairTableRow
from db.records.bots import BotRow
from db.records.games import GameQuery
from db.records.runs import DivisionRow, RunKind, RunRow
from db.store import Store
from ladder.errors import UsageError
from ladder.results.standings.build import build_standings, is_repetitive
from ladder.results.standings.notes import FormerRevisions, Note, PausedInRun
from ladder.results.standings.pool import rate_tables
from ladder.results.standings.standings import ForfeitedGame, OtherDivision, Standings
from ladder.stats.elo import elo_to_score
from ladder.stats.pool.rating import RatingOptions

FORFEITS_READ = 1000
"""Number of latest forfeits of a division to read for those of each bot."""
FORFEITS_NAMED = 5
"""Number of forfeits of one bot to list."""


@dataclass(frozen=True, slots=True)
class DivisionGames:
    """The rated games of a division between current revisions, read once for all that is shown."""

    division: DivisionRow
    since: float | None
    """Games that started before are left out, in epoch seconds."""
    bots: Mapping[str, BotRow]
    """All registered bots by name, retired ones too."""
    tables: Sequence[PairTableRow]
    """The aggregate, with numbers of distinct pairs if many games are repeated."""
    distinct: int
    """Number of games that differ in board or moves."""
    notes: Sequence[Note]
    """Whether other games are left out."""

    @property
    def retired(self) -> frozenset[str]:
        """Names of retired bots."""
        return frozenset(bot.name for bot in self.bots.values() if bot.retired_at is not None)


def read_division(
    store: Store, division: DivisionRow, *, since: float | None = None
) -> DivisionGames:
    """Read the rated games of a division; `since` leaves out earlier ones, in epoch seconds."""
    bots = {bot.name: bot for bot in store.bots.all(include_retired=True)}
    current = {bot.revision.id for bot in bots.values()}
    tables = store.aggregate.of_division(division.id, since=since)
    listed = [row for row in tables if row.a_revision in current and row.b_revision in current]
    left_out = sum(row.record.pairs for row in tables) - sum(row.record.pairs for row in listed)
    distinct = store.aggregate.count_distinct(listed, since=since)
    if is_repetitive(listed, distinct):
        listed = store.aggregate.with_distinct_pairs(listed, since=since)
    notes = [FormerRevisions(2 * left_out)] if left_out else []
    return DivisionGames(division, since, bots, listed, distinct, notes)


def standings_of_division(
    store: Store,
    games: DivisionGames,
    *,
    options: RatingOptions | None = None,
    with_others: bool = True,
) -> Standings:
    """Return the standings of current revisions by a division's rated games.

    Args:
        store: the open database.
        games: the games.
        options: rating options.
        with_others: whether to count the games that are not in the list: unrated ones, and those of
            other divisions. All pairs are then read.

    """
    division = games.division
    latest = store.runs.find(division_id=division.id, limit=1)
    stalls = store.games.count_stalls(division_id=division.id, since=games.since)
    standings = build_standings(
        division,
        games.tables,
        distinct_games=games.distinct,
        options=options,
        notes=[*games.notes, *(PausedInRun(run.id, run.paused) for run in latest if run.paused)],
        stalls=sum(stalls.values()),
        registered=games.bots,
        forfeit_games=_forfeits(store, games),
    )
    if not with_others:
        return standings
    rated, unrated = store.aggregate.count_games(), store.games.count_unrated()
    return replace(
        standings,
        unrated_games=unrated.get(division.id, 0),
        other_divisions=[
            OtherDivision(other.label, rated.get(other.id, 0), unrated.get(other.id, 0))
            for other in store.divisions.all()
            if other.id != division.id
        ],
    )


def standings_of_run(store: Store, division: DivisionRow, run: RunRow) -> Standings:
    """Return the standings by one run's games, rated or not."""
    tables = store.aggregate.of_run(run.id)
    distinct = store.aggregate.count_distinct(tables, run_id=run.id)
    if is_repetitive(tables, distinct):
        tables = store.aggregate.with_distinct_pairs(tables, run_id=run.id)
    return build_standings(
        division,
        tables,
        distinct_games=distinct,
        notes=[],
        stalls=store.games.count_stalls(run_id=run.id).get(run.id, 0),
        registered={bot.name: bot for bot in store.bots.all(include_retired=True)},
    )


def division_or_latest(store: Store, text: str | None) -> DivisionRow:
    """Return the division with this number, label or beginning of a label.

    For None, return the latest division with rated games, of `ladder run` if there is one; without
    rated games, the latest division with any.

    Raises:
        UnknownRow: there is no such division.
        UsageError: there is no run yet.

    """
    if text is not None:
        return store.divisions.find(text)
    runs = [*store.runs.find(kind=RunKind.LADDER), *store.runs.find()]
    if not runs:
        raise UsageError("this database holds no games yet: play some with `ladder run`")
    divisions = store.divisions.all()
    if len(divisions) == 1:
        return divisions[0]
    rated = store.aggregate.count_games()
    games = {**store.games.count_unrated(), **rated}
    chosen = (run for counts in (rated, games) for run in runs if counts.get(run.division_id))
    run = next(chosen, runs[0])
    return store.divisions.find(str(run.division_id))


def _forfeits(store: Store, games: DivisionGames) -> Mapping[int, Sequence[ForfeitedGame]]:
    """Return the latest rated forfeits by revision; read nothing if no bot has any."""
    if not any(side.failures for row in games.tables for side in (row.a, row.b)):
        return {}
    found: dict[int, list[ForfeitedGame]] = {}
    query = GameQuery(division_id=games.division.id, rated=True, forfeit=True, since=games.since)
    for game in store.games.newest(query, FORFEITS_READ):
        own = found.setdefault(game.loser_revision or 0, [])
        if len(own) < FORFEITS_NAMED:
            own.append(ForfeitedGame(game.id, game.termination))
    return found


EXPECTED = 0.25
"""Greatest expected score, by the rating list, of the winner of an upset."""


def possible_upsets(
    store: Store, division: DivisionRow | None = None
) -> Mapping[int, frozenset[tuple[int, int]]]:
    """Return, by division, the revisions (winner, loser) whose games would be upsets.

    Only rated bots with their current revisions are considered.

    Args:
        store: the open database.
        division: the only division to consider; None for all.

    """
    found = {}
    for one in store.divisions.all() if division is None else [division]:
        games = read_division(store, one)
        pool = rate_tables(games.tables)
        ratings = {} if pool is None else pool.elo
        found[one.id] = upset_pairs(
            {games.bots[name].revision.id: elo for name, elo in ratings.items()}
        )
    return found


def upset_pairs(elo: Mapping[int, float]) -> frozenset[tuple[int, int]]:
    """Return the revisions (winner, loser) whose games would be upsets, by their ratings."""
    return frozenset(
        (winner, loser)
        for winner in elo
        for loser in elo
        if elo_to_score(elo=elo[winner] - elo[loser]) <= EXPECTED
    )
