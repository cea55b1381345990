"""The data of the server's pages: the overview, and that of a bot."""

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from db.records.bots import BotRow
from db.records.games import GameQuery, GameRow
from db.records.runs import DivisionRow, RunStatus
from db.store import Store
from engine.result import Result
from ladder.registry.builtins import is_catalogue_bot
from ladder.registry.same_bot import stored_files
from ladder.registry.specs.archive_diff import FileDiff, diff_files
from ladder.results.conditions import search
from ladder.results.standings.against import compare_with_opponents
from ladder.results.standings.division import read_division, standings_of_division
from ladder.results.standings.head_to_head import HeadToHead
from ladder.results.standings.lineage import LineVersion, line_of
from ladder.results.standings.pool import RatedMoment, rating_history
from ladder.results.standings.standings import BotStanding, Standings, select_bots
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


FORFEITS_SHOWN = 5
GAMES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class BotPage:
    """What the page of a bot shows."""

    row: BotRow
    successors: Sequence[str]
    """The bots that are based on it."""
    divisions: Sequence[DivisionRow]
    division: DivisionRow | None
    standing: BotStanding | None
    """None if it has no rated games in the division."""
    history: Sequence[RatedMoment]
    line: Sequence[LineVersion]
    """Its versions; empty without rated games."""
    opponents: Sequence[HeadToHead]
    forfeits: Sequence[GameRow]
    """Its latest forfeits in any division, with the last output."""
    games: Sequence[GameRow]


def read_bot_page(store: Store, name: str, division: str | None) -> BotPage:
    """Read the data of a bot's page.

    Args:
        store: the open database.
        name: name of the bot.
        division: a number, label or beginning of one; None for that of its latest rated game, or
            of its latest game if none is rated.

    Raises:
        UnknownRow: there is no such bot or division.

    """
    row = store.bots.get(name)
    bots = store.bots.all(include_retired=True)
    found = search(store, GameQuery(bot=name), GAMES_SHOWN)
    divisions = store.divisions.all()
    chosen = None
    latest = store.games.newest(GameQuery(bot=name, rated=True), 1) or found.games[:1]
    if division is not None:
        chosen = store.divisions.find(division)
    elif latest:
        chosen = next(each for each in divisions if each.id == latest[0].division_id)
    standing, line, opponents, moments = None, [], [], []
    if chosen is not None:
        games = read_division(store, chosen)
        standings = select_bots(standings_of_division(store, games, with_others=False))
        standing = next((bot for bot in standings.bots if bot.name == name), None)
    if chosen is not None and standing is not None:
        line = line_of(store, name, standings)
        opponents = list(compare_with_opponents(games, name).opponents)
        slices = store.aggregate.slices(chosen.id)
        history = rating_history(slices, {bot.revision.id for bot in bots})
        moments = [moment for moment in history if moment.bot == name]
    forfeited = GameQuery(bot=name, forfeit=True, result=Result.LOSS)
    lost = store.games.newest(forfeited, FORFEITS_SHOWN)
    return BotPage(
        row=row,
        successors=[bot.name for bot in bots if bot.based_on == name],
        divisions=divisions,
        division=chosen,
        standing=standing,
        history=moments,
        line=line,
        opponents=opponents,
        forfeits=store.games.get_many(game.id for game in lost)[::-1],
        games=found.games,
    )


def read_changed_files(store: Store, name: str) -> tuple[BotRow, list[FileDiff] | None]:
    """Return a bot, and the files in which it differs from its parent; None if that is unknown.

    Raises:
        UnknownRow: there is no such bot.
        UsageError: stored files are damaged, or there is no room to unpack them.

    """
    rows = {row.name: row for row in store.bots.all(include_retired=True)}
    row = rows[name] if name in rows else store.bots.get(name)
    parent = rows.get(row.based_on or "")
    before = None if parent is None else stored_files(store, parent)
    after = stored_files(store, row)
    if before is None or after is None:
        return row, None
    return row, diff_files(before, after)


def bot_groups(bots: Iterable[BotRow], played: Collection[str]) -> dict[str, list[str]]:
    """Return names by group: bots with games, bots without, retired bots.

    Within a group, the user's own bots come before built-in players.

    Args:
        bots: all bots; the order is kept within each part of a group.
        played: names of bots with games.

    """
    groups: dict[str, list[str]] = {"With games": [], "Without games": [], "Retired": []}
    for bot in sorted(bots, key=is_catalogue_bot):
        is_retired = bot.retired_at is not None
        label = "With games" if bot.name in played else "Without games"
        groups["Retired" if is_retired else label].append(bot.name)
    return {label: names for label, names in groups.items() if names}
