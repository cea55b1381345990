"""A training of the evaluation while it goes on: its generations, or a line for a log."""

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType

from ladder.learning.value.folder import GenerationRecord
from ladder.learning.value.loop import LearningState, LearningWatcher
from reports.layout.progress import display_for, progress_bar
from reports.layout.table import Column, fit


def learning_watcher(console: Console) -> LearningWatcher:
    """Return a live view where the console is a terminal that can redraw, else log lines."""
    return display_for(console, LearningView())


def generation_line(record: GenerationRecord) -> str:
    """One line about a generation's samples and quality."""
    quality = record.quality
    return (
        f"generation {record.generation}: {record.positions:,} positions, held-out loss "
        f"{quality.held_out_loss:.4f} (the searches {quality.searched_loss:.4f}), winner named "
        f"{100 * quality.right:.1f}%, off by {100 * quality.calibration_error:.1f}% in the mean"
    )


class LearningView:
    """A training as a `reports.layout.progress.View`."""

    def title(self, state: LearningState) -> Sequence[str]:
        """Lines for the start: the settings, and what went before."""
        settings = state.settings
        lines = [
            f"training the evaluation on {settings.boards}: {settings.games:,} games a generation, "
            f"{settings.simulations} simulations a move, first by {settings.player}, "
            f"seed {settings.seed}"
        ]
        if state.records_before:
            lines.append(f"going on after generation {state.records_before}")
        return lines

    def status(self, state: LearningState) -> str:
        """How far it has come, in a line."""
        if len(state.records) >= state.target:
            return generation_line(state.records[-1])
        parts = [f"generation {state.generation}/{state.target}"]
        if state.fitting:
            parts.append("fitting weights")
        else:
            parts.append(f"{state.games:,}/{state.settings.games:,} games")
            if (speed := state.games_a_second) is not None:
                parts.append(f"{speed:.1f} games/s")
        if state.records:
            quality = state.records[-1].quality
            parts.append(
                f"weights so far: held-out loss {quality.held_out_loss:.4f}, off by "
                f"{100 * quality.calibration_error:.1f}%"
            )
        return ", ".join(parts)

    def ending(self, state: LearningState) -> Sequence[str]:
        """Return a line for each generation of this process, and how far it came."""
        lines = [generation_line(record) for record in state.records[state.records_before :]]
        if len(state.records) < state.target:
            lines.append(f"stopped: {self.status(state)}; the same command goes on")
        return lines

    def log(self, state: LearningState) -> str:
        """How far it has come, in a line."""
        return self.status(state)

    def picture(self, state: LearningState, width: int, height: int) -> RenderableType:
        """Return a progress bar, and the generations so far."""
        records = state.records[-max(height - 4, 1) :]
        columns = [
            Column("generation", [str(one.generation) for one in records]),
            Column("positions", [f"{one.positions:,}" for one in records]),
            Column("learned loss", [f"{one.quality.learned_loss:.4f}" for one in records]),
            Column("held-out loss", [f"{one.quality.held_out_loss:.4f}" for one in records]),
            Column("winner named", [f"{100 * one.quality.right:.1f}%" for one in records]),
            Column("off by", [f"{100 * one.quality.calibration_error:.1f}%" for one in records]),
        ]
        done = len(state.records) * state.settings.games + state.games * (not state.fitting)
        bar = progress_bar(
            min(done, state.target * state.settings.games),
            state.target * state.settings.games,
            width,
        )
        return Group(bar, fit(columns, width).table())
