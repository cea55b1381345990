"""The data of the first page: runs, and the current rating list."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from db.records.games import GameQuery
from db.records.runs import DivisionRow, RunStatus
from db.store import Store
from ladder.results.standings.division import read_division, standings_of_division
from ladder.results.standings.standings import Standings, select_bots
from ladder.runs.history import PastRun, past_runs
from ladder.runs.live import SPEED_WINDOW_S


@dataclass(frozen=True, slots=True)
class RunPace:
    """A run with its speed."""

    run: PastRun
    games_an_hour: float | None = None
    """Games per hour over the last two minutes, or of its latest games if it had none then; None
    without any, or if the run has ended."""
    seconds_left: float | None = None
    """Seconds until the target is reached; None without a target or a speed."""

    @property
    def is_running(self) -> bool:
        """Whether a process is playing it."""
        return self.run.status is RunStatus.RUNNING


@dataclass(frozen=True, slots=True)
class Overview:
    """A database at one moment."""

    divisions: Sequence[DivisionRow]
    division: DivisionRow | None
    """The division of the list; None if there is no division yet."""
    standings: Standings | None
    runs: Sequence[RunPace]
    """All runs, newest first."""


def read_overview(store: Store, division: str | None) -> Overview:
    """Read the data of the first page.

    Args:
        store: the open database.
        division: a number, label or beginning of one; None for that of the latest rated run.

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
        return Overview(divisions, None, None, runs)
    return Overview(
        divisions,
        chosen,
        select_bots(standings_of_division(store, read_division(store, chosen), with_others=False)),
        runs,
    )


READ = 400
"""Number of latest games to read."""
SLOW_READ, SLOW_WINDOW_S = 20, 6 * 3600.0
"""Most number and age of the games that show the speed of a slow run: one without a game in the
last two minutes."""


def measure_paces(
    store: Store, runs: Sequence[PastRun], *, now: float | None = None
) -> list[RunPace]:
    """Return the runs with the speed of those in play; `now` is in seconds since the epoch."""
    moment = time.time() if now is None else now
    return [
        _measure(store, run, moment) if run.status is RunStatus.RUNNING else RunPace(run)
        for run in runs
    ]


def _measure(store: Store, run: PastRun, now: float) -> RunPace:
    latest = store.games.newest(GameQuery(run_id=run.row.id), READ)
    starts = [game.started_at for game in latest]
    speed = _games_an_hour(starts, run, now, SPEED_WINDOW_S)
    if speed is None:
        speed = _games_an_hour(starts[:SLOW_READ], run, now, SLOW_WINDOW_S)
    target, left = run.row.target_games, None
    if speed and target is not None:
        left = max(target - run.games, 0) / speed * 3600
    return RunPace(run, speed, left)


def _games_an_hour(starts: list[float], run: PastRun, now: float, window_s: float) -> float | None:
    """Return the speed from the starts of the latest games, newest first.

    If the clock was set back since then, games and the run seem to begin in the future, and do not
    count.
    """
    begun = run.row.started_at
    recent = [start for start in starts if 0 <= now - start <= window_s]
    if not recent:
        return None
    is_cut = len(recent) == len(starts) < run.games  # older games of the window were not read
    since = min(recent) if is_cut or begun > now else max(now - window_s, begun)
    return len(recent) / max(now - since, 1.0) * 3600
