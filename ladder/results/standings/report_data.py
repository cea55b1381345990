"""The data of a division's HTML report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from db.records.bots import BotRow
from db.records.games import GameQuery
from db.records.runs import DivisionRow, RunRow
from db.store import Store
from ladder.results.standings.division import current_tables, standings_of_division
from ladder.results.standings.history import RatedMoment, rating_history
from ladder.results.standings.lineage import Step, find_steps
from ladder.results.standings.move_times import MoveTimes, move_times
from ladder.results.standings.pairings import (
    ClassScores,
    PairingResult,
    scores_by_class,
    summarize_pairings,
)
from ladder.results.standings.selection import select_bots
from ladder.results.standings.showcase import ShownGame, choose_games
from ladder.results.standings.standings import Standings
from ladder.stats.pool.rating import Pool, RatingOptions

LATEST_READ = 1000
"""Number of latest games to read for swings and move times."""


@dataclass(frozen=True, slots=True)
class ReportData:
    """What the report of a division shows."""

    division: DivisionRow
    standings: Standings
    """Standings of the shown bots."""
    bots: Mapping[str, BotRow]
    """All registered bots by name."""
    steps: Sequence[Step]
    history: Sequence[RatedMoment]
    pairings: Sequence[PairingResult]
    """Results of every two bots, both ways round."""
    classes: Sequence[ClassScores]
    move_times: Sequence[MoveTimes]
    games: Sequence[ShownGame]
    runs: Sequence[RunRow]
    """The division's rated runs, latest first."""
    first_game: float | None
    """Start of the earliest rated game in seconds since the epoch."""
    last_game: float | None


def read_report_data(
    store: Store,
    division: DivisionRow,
    *,
    since: float | None = None,
    games: int = 200,
    options: RatingOptions | None = None,
    patterns: Sequence[str] = (),
    retired: bool = False,
) -> ReportData:
    """Read the data of a division's report.

    Args:
        store: the open database.
        division: the division.
        since: leave out games that started before, in epoch seconds.
        games: number of games to show in full.
        options: rating options.
        patterns: names or shell patterns of the bots to show; empty for all.
        retired: whether to show retired bots.

    Raises:
        UsageError: an anchor or a pattern selects no bot of the list.

    """
    all_bots = standings_of_division(store, division, since=since, options=options)
    standings = select_bots(all_bots, patterns=patterns, retired=retired)
    names = {bot.name for bot in standings.bots}
    tables, _ = current_tables(store, division, since=since)
    bots = {bot.name: bot for bot in store.bots.all(include_retired=True)}
    pool = all_bots.pool
    slices = store.history.slices(division.id, since=since)
    current = frozenset(bot.revision.id for bot in bots.values())
    shown = frozenset(bots[name].revision.id for name in names if name in bots)
    wanted = GameQuery(
        division_id=division.id, rated=True, among=current, including=shown, since=since
    )
    latest = store.games.newest(wanted, max(games, LATEST_READ))
    recent = store.games.get_many(game.id for game in latest)[::-1]
    return ReportData(
        division=division,
        standings=standings,
        bots=bots,
        steps=[step for step in find_steps(pool, bots) if step.bot in names],
        history=[
            moment for moment in rating_history(slices, current, options) if moment.bot in names
        ],
        pairings=[
            pairing
            for pairing in summarize_pairings(tables, pool)
            if {pairing.a, pairing.b} <= names
        ],
        classes=scores_by_class(tables),
        move_times=[times for times in move_times(recent, division.budget) if times.bot in names],
        games=choose_games(
            store,
            wanted,
            games,
            recent,
            [row for row in tables if {row.a_revision, row.b_revision} & shown],
            _elo_by_revision(pool, bots),
        ),
        runs=[run for run in store.runs.find() if run.division_id == division.id and run.rated],
        first_game=None if not slices else min(part.since for part in slices),
        last_game=None if not slices else max(part.until for part in slices),
    )


def _elo_by_revision(pool: Pool | None, bots: Mapping[str, BotRow]) -> dict[int, float]:
    if pool is None:
        return {}
    return {bots[name].revision.id: elo for name, elo in pool.elo.items() if name in bots}
