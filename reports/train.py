"""A training while it goes on: live on a terminal, a log line every few seconds elsewhere."""

import time

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from bots.c4ai.weights import Weights
from ladder.training.loop import (
    TrainingState,
    TrainingWatcher,
)
from reports.run import (
    LOG_EVERY_S,
    REDRAW_EVERY_S,
)


def training_watcher(console: Console) -> TrainingWatcher:
    """A live view when the console is a terminal that can redraw, else log lines."""
    if console.is_terminal and not console.is_dumb_terminal and not console.no_color:
        return LiveTraining(console)
    return TrainingLines(console)


def training_line(state: TrainingState) -> str:
    """Where a training stands, in one line."""
    speed = state.games_a_second
    parts = [
        f"generation {state.generation}/{state.target}",
        f"unbeaten {state.unbeaten}",
        f"changed {state.changes} times",
        f"weights {state.weights}",
    ]
    return ", ".join(parts + ([] if speed is None else [f"{speed:.1f} games/s"]))


def title(state: TrainingState) -> str:
    """What is trained, and how to do it again."""
    settings = state.settings
    return (
        f"training c4ai on {settings.boards}, depth {settings.depth}, "
        f"{settings.games_per_trial} games a trial, seed {settings.seed}, from {settings.start}"
    )


class TrainingLines:
    """One line every few seconds: for pipes, files and terminals without colour."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = 0.0

    def started(self, state: TrainingState) -> None:
        """Say what is trained."""
        self._say(title(state))
        if state.generation:
            self._say(f"resuming after generation {state.generation}")

    def tick(self, state: TrainingState) -> None:
        """A line when the last one is some seconds old."""
        now = time.monotonic()
        if now - self._last >= LOG_EVERY_S:
            self._last = now
            self._say(training_line(state))

    def ended(self, state: TrainingState) -> None:
        """The final line."""
        self._say(training_line(state))

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


class LiveTraining:
    """Progress, and the weights beside those of the start."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._last = 0.0

    def started(self, state: TrainingState) -> None:
        """Begin to draw."""
        self._console.print(title(state), markup=False, highlight=False)
        self._live = Live(
            self._draw(state), console=self._console, auto_refresh=False, transient=True
        )
        self._live.start()

    def tick(self, state: TrainingState) -> None:
        """Draw anew, at most four times a second."""
        now = time.monotonic()
        if self._live is not None and now - self._last >= REDRAW_EVERY_S:
            self._last = now
            self._live.update(self._draw(state), refresh=True)

    def ended(self, state: TrainingState) -> None:
        """Leave the terminal as it was, with the final line."""
        if self._live is not None:
            self._live.stop()
            self._live = None
        self._console.print(training_line(state), markup=False, highlight=False)

    def _draw(self, state: TrainingState) -> RenderableType:
        bar = Table.grid()  # a bar alone ends without a line break
        bar.add_row(ProgressBar(max(state.target, 1), state.generation, width=60))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column("weights")
        for name in Weights._fields:
            table.add_column(name, justify="right")
        table.add_row("start", *map(str, state.settings.start), style="dim")
        table.add_row("now", *map(str, state.weights))
        return Group(Text(training_line(state), style="bold"), bar, table)
