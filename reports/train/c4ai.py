"""A training while it goes on: its weights beside those of the start, or a line for a log."""

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType

from bots.c4ai.weights import Weights
from ladder.learning.c4ai.loop import TrainingState, TrainingWatcher
from reports.layout.progress import display_for, progress_bar
from reports.layout.table import Column, fit


def training_watcher(console: Console) -> TrainingWatcher:
    """Return a live view where the console is a terminal that can redraw, else log lines."""
    return display_for(console, TrainingView())


def training_line(state: TrainingState) -> str:
    """How far a training has come, in one line."""
    speed = state.games_a_second
    parts = [
        f"generation {state.generation}/{state.target}",
        f"unbeaten {state.unbeaten}",
        f"changed {state.changes} times",
        f"weights {state.weights}",
    ]
    return ", ".join(parts + ([] if speed is None else [f"{speed:.1f} games/s"]))


class TrainingView:
    """A training as a `reports.layout.progress.View`."""

    def title(self, state: TrainingState) -> Sequence[str]:
        """Lines for the start: the settings, and what went before."""
        settings = state.settings
        lines = [
            f"training c4ai on {settings.boards}, depth {settings.depth}, "
            f"{settings.games_per_trial} games a trial, seed {settings.seed}, from {settings.start}"
        ]
        if state.generations_before:
            lines.append(f"resuming after generation {state.generations_before}")
        return lines

    def status(self, state: TrainingState) -> str:
        """How far it has come, in a line."""
        return training_line(state)

    def ending(self, state: TrainingState) -> Sequence[str]:
        """Return the status."""
        return [self.status(state)]

    def log(self, state: TrainingState) -> str:
        """How far it has come, in a line."""
        return training_line(state)

    def picture(self, state: TrainingState, width: int, height: int) -> RenderableType:
        """Return a progress bar, and the weights beside those of the start."""
        columns = [Column("weights", ["start", "now"], number=False)]
        columns += [
            Column(name, [str(start), str(now)])
            for name, start, now in zip(
                Weights._fields, state.settings.start, state.weights, strict=True
            )
        ]
        bar = progress_bar(state.generation, state.target, width)
        return Group(bar, fit(columns, width).table())
