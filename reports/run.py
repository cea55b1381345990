"""A run in play: its rating table, or log lines."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from rich.console import Console, Group, RenderableType
from rich.text import Text

from ladder.names import counted
from ladder.runs.live import LiveBot, LiveRun, RunEnding, RunWatcher
from ladder.runs.resume import Resumable
from reports.layout.elo import wdl_fields
from reports.layout.fields import FAINT, LOST, Field, Table
from reports.layout.format import values_of, wdl_text
from reports.layout.progress import View, display_for
from reports.layout.terminal import fit

LEADERS = 5
"""Number of bots in a log line."""
THU_BOARDS = " (thu: random boards, one cell forbidden; --boards standard plays 6x7)"
"""An explanation of the default boards, which most authors of Connect Four bots do not know."""


def watcher_for(console: Console) -> RunWatcher:
    """Return a live table if the console can redraw, else log lines."""
    return display_for(console, RunView())


def ranked(live: LiveRun) -> list[LiveBot]:
    """Return the bots, best first: by rating, and by score after `first` without ratings."""

    def key(bot: LiveBot) -> tuple[float, bool, float, str]:
        rank = math.inf if bot.elo is None else -bot.elo
        return (rank, bot.name != live.first, -_score(bot), bot.name)

    return sorted(live.bots.values(), key=key)


def _score(bot: LiveBot) -> float:
    return 0.5 if bot.results.score is None else bot.results.score


def duration(seconds: float) -> str:
    """Return a duration as hours, minutes and seconds."""
    return str(timedelta(seconds=round(seconds)))


def nothing_to_resume(others: Iterable[tuple[Resumable, str]]) -> list[str]:
    """Return lines for a command that found no run to resume.

    Args:
        others: other interrupted runs, each with the command that resumes it.

    """
    lines = [
        f"run {run.run_id} ({counted(run.games, 'game')}): {command}" for run, command in others
    ]
    head = ["nothing to resume: no interrupted run has these settings"]
    return (
        [*head, "interrupted runs, and the commands that resume them:", *lines] if lines else head
    )


def status_line(live: LiveRun) -> str:
    """Return games played, speed and time left in one line."""
    target = live.target_games
    games = f"{live.total_games} games" if target is None else f"{live.total_games}/{target} games"
    parts = [games]
    speed = live.games_an_hour()
    if speed is not None:
        parts.append(f"{speed:,.0f} games/hour")
    left = live.seconds_left()
    if left is not None:
        parts.append(f"{duration(left)} left")
    if live.progress:
        parts.append(live.progress)
    if live.stalls:
        share = live.stalls / (live.stalls + live.total_games)
        parts.append(f"{live.stalls} ({share:.1%}) delayed by the host")
    return ", ".join(parts)


def forfeit_lines(live: LiveRun) -> list[str]:
    """Return a line for each bot and kind of forfeit, with the first game and its cause."""
    return [
        f"{one.bot} forfeited {counted(one.games, 'game')} by {one.termination.noun}, first "
        f"game {one.game}: {one.cause}"
        for _, one in sorted(live.forfeits.items())
    ]


def forfeits_document(live: LiveRun) -> list[dict[str, object]]:
    """Return the forfeits as plain data, in the order of `forfeit_lines`."""
    return [
        {
            "bot": one.bot,
            "kind": one.termination.value,
            **values_of(one, "games", "game", "cause"),
        }
        for _, one in sorted(live.forfeits.items())
    ]


class RunView(View[LiveRun]):
    """How to show a run."""

    def name(self, live: LiveRun) -> str:
        """Return the run, such as ``run 3``."""
        return f"run {live.run_id}"

    def title(self, live: LiveRun) -> Sequence[str]:
        """Return lines for the start: conditions, seed, and games of an interrupted run."""
        run = self.name(live)
        if live.games_before:
            run = f"resuming {run} ({counted(live.games_before, 'game')})"
        boards = THU_BOARDS if ", thu, " in live.title else ""
        return [f"{run}, seed {live.seed}: {live.title}{boards}"]

    def status(self, live: LiveRun) -> str:
        """Return games played, speed and time left in one line."""
        return status_line(live)

    def done(self, live: LiveRun) -> tuple[int, int]:
        """Return the games of the run, and their target."""
        return live.total_games, live.target_games or 0

    def ending(self, live: LiveRun) -> Sequence[str]:
        """Return the summary, and after a stop a line about resuming."""
        lines = self.summary(live)
        if live.ending is RunEnding.STOPPED:
            lines.append(f"stopped: the same command resumes {self.name(live)}")
        return lines

    def summary(self, live: LiveRun) -> list[str]:
        """Return the status, the forfeits and the paused bots."""
        paused = [f"{name} was paused: it {why}" for name, why in live.paused.items()]
        return [status_line(live), *forfeit_lines(live), *paused]

    def log(self, live: LiveRun) -> str:
        """Return the status and the leading bots, or the results of one bot if unrated.

        The results of its opponents would be the same ones from the other side.
        """
        top = ", ".join(
            f"{bot.name} {_results(bot)}" if bot.elo is None else f"{bot.name} {bot.elo:.0f}"
            for bot in ranked(live)[: 1 if live.first and not live.is_rated else LEADERS]
        )
        return f"{status_line(live)}; {top}"

    def picture(self, live: LiveRun, width: int, height: int) -> RenderableType:
        """Return a progress bar and the rating table, cut to the height."""
        parts = [self.bar(live, width)] if live.target_games else []
        bots = ranked(live)
        lines = height - len(parts) - 1  # the table's head
        shown = bots if len(bots) <= lines else bots[: max(0, lines - 1)]
        table = live_table(live, shown)
        parts += [fitted.grid() for fitted in fit(table, width)]
        if len(shown) < len(bots):
            parts.append(Text(f"and {len(bots) - len(shown)} more", style="dim"))
        return Group(*parts)


def _results(bot: LiveBot) -> str:
    return wdl_text(bot.results)


@dataclass(frozen=True, slots=True)
class _LiveList:
    """The view of the live table."""

    live: LiveRun
    places: Mapping[str, int]


LIVE = (
    Field(head="#", form="d", text=lambda bot, view: str(view.places[bot.name]), level=1),
    Field("name", "bot"),
    Field(
        head="",
        text=lambda bot, view: "paused" if bot.name in view.live.paused else "",
        shown=lambda bots, view: any(bot.name in view.live.paused for bot in bots),
    ),
    Field("elo", "elo", form=".0f", shown=lambda _, view: view.live.is_rated),
    Field(
        head="score",
        form="d",
        text=lambda bot, _: f"{_score(bot):.1%}" if bot.results.games else "-",
        shown=lambda _, view: not view.live.is_rated,
    ),
    Field("games", "games", form="d", value=lambda bot: bot.results.games, level=2),
    *wdl_fields(lambda bot: bot.results, level=4, form="d"),
    Field(
        head="forfeit",
        form="d",
        text=lambda bot, _: str(bot.forfeits),
        verdict=lambda bot, _: LOST if bot.forfeits else "",
        emphasis=lambda bot, _: "" if bot.forfeits else FAINT,
        level=5,
    ),
)
"""The columns of the live table."""


def live_table(live: LiveRun, bots: Sequence[LiveBot]) -> Table:
    """Return the live table of some bots, with scores instead of ratings if unrated."""
    places = {bot.name: place for place, bot in enumerate(bots, start=1)}
    return Table(LIVE, bots, _LiveList(live, places))


def tuning_watcher(console: Console) -> RunWatcher:
    """Return a live view if the console can redraw, else log lines."""
    return display_for(console, TuningView())


class TuningView(RunView):
    """How to show the steps of a tuning."""

    def name(self, live: LiveRun) -> str:
        """Return the run, such as ``tuning run 3``."""
        return f"tuning {super().name(live)}"

    def log(self, live: LiveRun) -> str:
        """Return the status."""
        return self.status(live)

    def summary(self, live: LiveRun) -> list[str]:
        """Return the status."""
        return [self.status(live)]

    def picture(self, live: LiveRun, width: int, height: int) -> RenderableType:
        """Return a progress bar."""
        return self.bar(live, width)
