"""The data of the first page: runs, and the current rating list."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from db.records.runs import DivisionRow, RunKind, RunRow
from db.store import Store
from ladder.results.overview.pace import RunPace, measure_paces
from ladder.results.standings.build import build_standings
from ladder.results.standings.division import current_tables, retired_bots
from ladder.results.standings.selection import select_bots
from ladder.results.standings.standings import Standings
from ladder.runs.history import past_runs

TRIALS = (RunKind.GATE, RunKind.MATCH)
RateWithoutRun = Callable[[Store, DivisionRow, RunRow], Mapping[str, float]]
"""`ladder.results.overview.change.rate_without_run`, or a cache of it."""


@dataclass(frozen=True, slots=True)
class Overview:
    """A database at one moment."""

    divisions: Sequence[DivisionRow]
    division: DivisionRow | None
    """The division of the list; None if there is no division yet."""
    standings: Standings | None
    runs: Sequence[RunPace]
    """All runs, newest first."""
    latest: RunPace | None
    """The latest rated run of the division."""
    before: Mapping[str, float]
    """List ratings by bot without the games of `latest`."""


def read_overview(store: Store, division: str | None, rate_without_run: RateWithoutRun) -> Overview:
    """Read the data of the first page.

    Args:
        store: the open database.
        division: a number, label or beginning of one; None for that of the latest rated run.
        rate_without_run: computes the ratings without a run's games.

    Raises:
        UnknownRow: there is no such division.

    """
    divisions = store.divisions.all()
    runs = measure_paces(store, past_runs(store))
    chosen = None
    if division is not None:
        chosen = store.divisions.find(division)
    elif runs:
        rated = next((entry for entry in runs if entry.run.row.rated), runs[0])
        chosen = next(each for each in divisions if each.id == rated.run.row.division_id)
    if chosen is None:
        return Overview(divisions, None, None, runs, None, {})
    latest = next(
        (
            entry
            for entry in runs
            if entry.run.row.rated and entry.run.row.division_id == chosen.id and entry.run.games
        ),
        None,
    )
    before = {} if latest is None else rate_without_run(store, chosen, latest.run.row)
    return Overview(divisions, chosen, read_current_list(store, chosen), runs, latest, before)


def read_current_list(store: Store, division: DivisionRow) -> Standings:
    """Return the current rating list, whose counts are read once and then only added to."""
    tables, notes = current_tables(store, division, since=None)
    standings = build_standings(
        division,
        tables,
        distinct_games=store.aggregate.count_distinct(tables),
        notes=notes,
        stalled_games=store.games.count_aborts(division_id=division.id),
        retired=retired_bots(store),
    )
    return select_bots(standings)
