"""Reading the standings of a division or of one run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from db.records.games import GameQuery
from db.records.record import PairTableRow
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


def standings_of_division(
    store: Store,
    division: DivisionRow,
    *,
    since: float | None = None,
    options: RatingOptions | None = None,
    with_others: bool = True,
) -> Standings:
    """Return the standings of current revisions by a division's rated games.

    Args:
        store: the open database.
        division: the division.
        since: leave out games that started before, in epoch seconds.
        options: rating options.
        with_others: whether to count the games that are not in the list: unrated ones, and those of
            other divisions. All pairs are then read.

    """
    listed, notes = current_tables(store, division, since=since)
    latest = store.runs.find(division_id=division.id, limit=1)
    notes += [PausedInRun(run.id, run.paused) for run in latest if run.paused]
    standings = build_standings(
        division,
        listed,
        distinct_games=store.aggregate.count_distinct(listed, since=since),
        options=options,
        notes=notes,
        stalls=sum(store.games.count_stalls(division_id=division.id, since=since).values()),
        retired=retired_bots(store),
        forfeit_games=_forfeits(store, division, listed, since),
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
        retired=retired_bots(store),
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


def current_tables(
    store: Store, division: DivisionRow, *, since: float | None
) -> tuple[list[PairTableRow], list[Note]]:
    """Return the aggregate of current revisions, with a note if other games are left out.

    If many games are repeated, the tables have their numbers of distinct pairs.
    """
    tables = store.aggregate.of_division(division.id, since=since)
    current = {bot.revision.id for bot in store.bots.all(include_retired=True)}
    listed = [row for row in tables if row.a_revision in current and row.b_revision in current]
    left_out = sum(row.record.pairs for row in tables) - sum(row.record.pairs for row in listed)
    if is_repetitive(listed, store.aggregate.count_distinct(listed, since=since)):
        listed = store.aggregate.with_distinct_pairs(listed, since=since)
    return listed, [FormerRevisions(2 * left_out)] if left_out else []


def retired_bots(store: Store) -> frozenset[str]:
    """Return the names of retired bots."""
    bots = store.bots.all(include_retired=True)
    return frozenset(bot.name for bot in bots if bot.retired_at is not None)


def _forfeits(
    store: Store, division: DivisionRow, tables: Sequence[PairTableRow], since: float | None
) -> Mapping[int, Sequence[ForfeitedGame]]:
    """Return the latest rated forfeits by revision; read nothing if no bot has any."""
    if not any(sum(side.forfeits.values()) for row in tables for side in (row.a, row.b)):
        return {}
    found: dict[int, list[ForfeitedGame]] = {}
    query = GameQuery(division_id=division.id, rated=True, forfeit=True, since=since)
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
    revisions = {bot.name: bot.revision.id for bot in store.bots.all(include_retired=True)}
    found = {}
    for one in store.divisions.all() if division is None else [division]:
        pool = rate_tables(current_tables(store, one, since=None)[0])
        elo = {} if pool is None else {revisions[name]: elo for name, elo in pool.elo.items()}
        found[one.id] = upset_pairs(elo)
    return found


def upset_pairs(elo: Mapping[int, float]) -> frozenset[tuple[int, int]]:
    """Return the revisions (winner, loser) whose games would be upsets, by their ratings."""
    return frozenset(
        (winner, loser)
        for winner in elo
        for loser in elo
        if elo_to_score(elo=elo[winner] - elo[loser]) <= EXPECTED
    )
