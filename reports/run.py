"""A run while it is played: a live table on a terminal, a log line every few seconds elsewhere."""

import time
from datetime import timedelta

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from db.records.pairs import PairRecord
from ladder.runs.progress import (
    LiveBot,
    LiveRun,
    Watcher,
)

LOG_EVERY_S = 5.0
REDRAW_EVERY_S = 0.25


def watcher_for(console: Console) -> Watcher:
    """A live table when the console is a terminal that can redraw, else log lines."""
    if console.is_terminal and not console.is_dumb_terminal and not console.no_color:
        return LiveTable(console)
    return LogLines(console)


def ranked(live: LiveRun) -> list[LiveBot]:
    """The bots by live rating, best first."""
    return sorted(live.bots.values(), key=lambda bot: (-bot.elo, bot.name))


def duration(seconds: float) -> str:
    """Hours, minutes and seconds."""
    return str(timedelta(seconds=round(seconds)))


def status_line(live: LiveRun) -> str:
    """Games done, speed and time left in one line."""
    target = live.target_games
    games = f"{live.total_games} games" if target is None else f"{live.total_games}/{target} games"
    parts = [games]
    speed = live.games_an_hour()
    if speed is not None:
        parts.append(f"{speed:,.0f} games an hour")
    left = live.seconds_left()
    if left is not None:
        parts.append(f"{duration(left)} left")
    if live.progress:
        parts.append(live.progress)
    if live.aborted_games:
        share = live.aborted_games / (live.aborted_games + live.games)
        parts.append(f"{live.aborted_games} ({share:.1%}) stalled by the machine and replayed")
    return ", ".join(parts)


class LogLines:
    """One line every few seconds: for pipes, files and terminals without colour."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = 0.0

    def started(self, live: LiveRun) -> None:
        """Say what is played and how to play it again."""
        self._say(f"run {live.run_id}, seed {live.seed}: {live.title}")
        if live.games_before:
            self._say(f"resuming after {live.games_before} games")

    def pair_finished(self, live: LiveRun, record: PairRecord) -> None:
        """Nothing: the next line will count it."""

    def tick(self, live: LiveRun) -> None:
        """A line when the last one is some seconds old."""
        now = time.monotonic()
        if now - self._last >= LOG_EVERY_S:
            self._last = now
            top = ", ".join(f"{bot.name} {bot.elo:.0f}" for bot in ranked(live)[:5])
            self._say(f"{status_line(live)}; {top}")

    def warned(self, live: LiveRun, sentence: str) -> None:
        """The warning at once."""
        self._say(f"warning: {sentence}")

    def ended(self, live: LiveRun) -> None:
        """The final count."""
        self._say(status_line(live))

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


class LiveTable:
    """Progress, the rating table with changes since the start, and the games in play."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._last = 0.0

    def started(self, live: LiveRun) -> None:
        """Begin to draw."""
        self._console.print(
            f"run {live.run_id}, seed {live.seed}: {live.title}", markup=False, highlight=False
        )
        self._live = Live(
            self._draw(live), console=self._console, auto_refresh=False, transient=True
        )
        self._live.start()

    def pair_finished(self, live: LiveRun, record: PairRecord) -> None:
        """Draw anew at the next tick."""

    def tick(self, live: LiveRun) -> None:
        """Draw anew, at most four times a second."""
        now = time.monotonic()
        if self._live is not None and now - self._last >= REDRAW_EVERY_S:
            self._last = now
            self._live.update(self._draw(live), refresh=True)

    def warned(self, live: LiveRun, sentence: str) -> None:
        """The warning above the table, where it stays."""
        self._console.print(f"warning: {sentence}", style="yellow", markup=False, highlight=False)

    def ended(self, live: LiveRun) -> None:
        """Leave the terminal as it was, with the final count."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        self._console.print(status_line(live), markup=False, highlight=False)

    def _draw(self, live: LiveRun) -> RenderableType:
        parts: list[RenderableType] = [Text(status_line(live), style="bold")]
        if live.target_games:
            row = Table.grid()  # a bar alone ends without a line break
            row.add_row(ProgressBar(live.target_games, live.total_games, width=60))
            parts.append(row)
        parts.extend((_rating_table(live), _playing(live)))
        return Group(*parts)


def _rating_table(live: LiveRun) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("#", "bot"):
        table.add_column(name, justify="right" if name == "#" else "left")
    for name in ("elo", "+-", "games", "win", "draw", "loss", "forfeit"):
        table.add_column(name, justify="right")
    for rank, bot in enumerate(ranked(live), start=1):
        colour = "green" if bot.change > 0 else "red" if bot.change < 0 else "dim"
        table.add_row(
            str(rank),
            Text(bot.name + (" (paused)" if bot.paused else "")),
            f"{bot.elo:.0f}",
            Text(f"{bot.change:+.0f}", style=colour),
            str(bot.games),
            str(bot.wins),
            str(bot.draws),
            str(bot.losses),
            Text(str(bot.forfeits), style="red" if bot.forfeits else "dim"),
        )
    return table


def _playing(live: LiveRun) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    # Only as many as there are workers are really in play; the rest wait behind them.
    for plan in sorted(live.playing.values(), key=lambda plan: plan.number)[: live.workers]:
        table.add_row(
            Text(f"pair {plan.number}", style="dim"),
            Text(f"{plan.a.name} - {plan.b.name}"),
            Text(plan.board, style="dim"),
        )
    return table
