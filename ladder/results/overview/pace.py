"""The speed of runs that other processes play, from their latest stored games."""

import time
from dataclasses import dataclass

from db.records.games import GameQuery
from db.records.runs import RunStatus
from db.store import Store
from ladder.runs.history import PastRun
from ladder.runs.progress import SPEED_WINDOW_S

READ = 400
"""Number of latest games to read."""
SLOW_READ, SLOW_WINDOW_S = 20, 6 * 3600.0
"""Most number and age of the games that show the speed of a slow run: one without a game in the
last two minutes."""


@dataclass(frozen=True, slots=True)
class RunPace:
    """A run with its speed."""

    run: PastRun
    games_an_hour: float | None = None
    """Games per hour over the last two minutes, or of its latest games if it had none then; None
    without any, or if the run has ended."""
    seconds_left: float | None = None
    """Seconds until the target is reached; None without a target or a speed."""
    last_game: float | None = None
    """Start of its latest game in seconds since the epoch, if it is among the games read."""

    @property
    def is_running(self) -> bool:
        """Whether a process is playing it."""
        return self.run.status is RunStatus.RUNNING

    @property
    def has_died(self) -> bool:
        """Whether it is stored as running although no process plays it."""
        return self.run.has_died


def measure_paces(store: Store, runs: list[PastRun], *, now: float | None = None) -> list[RunPace]:
    """Return the runs with the speed of those in play; `now` is in seconds since the epoch."""
    if not any(run.status is RunStatus.RUNNING for run in runs):
        return [RunPace(run) for run in runs]
    moment = time.time() if now is None else now
    starts: dict[int, list[float]] = {}
    latest = store.games.newest(GameQuery(), READ)
    for game in latest:
        starts.setdefault(game.run_id, []).append(game.started_at)
    is_all = len(latest) < READ
    found = []
    for run in runs:
        own = starts.get(run.row.id, [])
        speed = None
        if run.status is RunStatus.RUNNING:
            speed = _games_an_hour(own, run.row.started_at, moment, is_all=is_all)
            if speed is None and run.games:
                slow = store.games.newest(GameQuery(run_id=run.row.id), SLOW_READ)
                starts_of_slow = [game.started_at for game in slow]
                speed = _games_an_hour(
                    starts_of_slow,
                    run.row.started_at,
                    moment,
                    is_all=len(slow) < SLOW_READ,
                    window_s=SLOW_WINDOW_S,
                )
        target, left = run.row.target_games, None
        if speed and target is not None:
            left = max(target - run.games, 0) / speed * 3600
        found.append(RunPace(run, speed, left, own[0] if own else None))
    return found


def _games_an_hour(
    starts: list[float],
    begun: float,
    now: float,
    *,
    is_all: bool,
    window_s: float = SPEED_WINDOW_S,
) -> float | None:
    """Return the speed from the starts of the latest games, newest first.

    If the clock was set back since then, games and the run seem to begin in the future, and do not
    count.
    """
    recent = [start for start in starts if 0 <= now - start <= window_s]
    if not recent:
        return None
    is_cut = not is_all and len(recent) == len(starts)  # older games of the window were not read
    since = min(recent) if is_cut or begun > now else max(now - window_s, begun)
    return len(recent) / max(now - since, 1.0) * 3600
