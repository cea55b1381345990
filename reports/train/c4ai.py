"""Progress of a training of c4ai: its weights beside the first ones, or a line for a log."""

from collections.abc import Sequence

from rich.console import Group, RenderableType

from bots.c4ai.weights import Weights
from ladder.learning.c4ai.loop import TrainingState
from reports.layout.progress import progress_bar
from reports.layout.table import Column, fit


class TrainingView:
    """The `reports.layout.progress.View` of a training."""

    def title(self, state: TrainingState) -> Sequence[str]:
        """Return the settings, and where a resumed training begins."""
        settings = state.settings
        lines = [
            f"training c4ai on {settings.boards}, depth {settings.depth}, "
            f"{settings.games_per_trial} games a trial, seed {settings.seed}, from {settings.start}"
        ]
        if state.generations_before:
            lines.append(f"resuming after generation {state.generations_before}")
        return lines

    def status(self, state: TrainingState) -> str:
        """Return the progress in one line."""
        parts = [
            f"generation {state.generation}/{state.target}",
            f"unbeaten {state.unbeaten}",
            f"changed {state.changes} times",
            f"weights {state.weights}",
        ]
        if (speed := state.games_per_second) is not None:
            parts.append(f"{speed:.1f} games/s")
        return ", ".join(parts)

    log = status

    def ending(self, state: TrainingState) -> Sequence[str]:
        """Return the last status."""
        return [self.status(state)]

    def picture(self, state: TrainingState, width: int, height: int) -> RenderableType:
        """Return a progress bar, and the weights beside the first ones."""
        columns = [Column("weights", ["start", "now"], number=False)]
        columns += [
            Column(name, [str(start), str(now)])
            for name, start, now in zip(
                Weights._fields, state.settings.start, state.weights, strict=True
            )
        ]
        bar = progress_bar(state.generation, state.target, width)
        return Group(bar, fit(columns, width).table())
