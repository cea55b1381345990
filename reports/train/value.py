"""Progress of a training of the evaluation: its generations, or a line for a log."""

from collections.abc import Sequence

from rich.console import Group, RenderableType

from ladder.learning.value.folder import GenerationRecord
from ladder.learning.value.loop import LearningState
from reports.layout.progress import progress_bar
from reports.layout.table import Column, fit


def format_generation(record: GenerationRecord) -> str:
    """Describe a generation's samples and quality in one line."""
    quality = record.quality
    return (
        f"generation {record.generation}: {record.positions:,} positions, held-out loss "
        f"{quality.held_out_loss:.4f} (of the searches {quality.searched_loss:.4f}), winner named "
        f"{100 * quality.right:.1f}%, calibration error {100 * quality.calibration_error:.1f}%"
    )


class LearningView:
    """The `reports.layout.progress.View` of a training."""

    def title(self, state: LearningState) -> Sequence[str]:
        """Return the settings, and where a resumed training begins."""
        settings = state.settings
        weights, player = settings.start_name, f"generation 1 by {settings.player}"
        if not settings.starts_new:
            weights, player = f"the weights {weights[:16]} further", f"all by {settings.player}"
        lines = [
            f"training {weights} on {settings.boards}: {settings.games:,} games a generation, "
            f"{settings.simulations} simulations a move, {player}, seed {settings.seed}"
        ]
        if state.records_before:
            lines.append(f"resuming after generation {state.records_before}")
        return lines

    def status(self, state: LearningState) -> str:
        """Return the progress in one line."""
        if len(state.records) >= state.target:
            return format_generation(state.records[-1])
        parts = [f"generation {state.generation}/{state.target}"]
        if state.fitting:
            parts.append("fitting weights")
        else:
            parts.append(f"{state.games:,}/{state.settings.games:,} games")
            if (speed := state.games_per_second) is not None:
                parts.append(f"{speed:.1f} games/s")
        if state.records:
            quality = state.records[-1].quality
            parts.append(
                f"weights so far: held-out loss {quality.held_out_loss:.4f}, calibration error "
                f"{100 * quality.calibration_error:.1f}%"
            )
        return ", ".join(parts)

    log = status

    def ending(self, state: LearningState) -> Sequence[str]:
        """Return a line for each generation of this process, and the progress if it stopped."""
        lines = [format_generation(record) for record in state.records[state.records_before :]]
        if len(state.records) < state.target:
            lines.append(f"stopped: {self.status(state)}; repeat the command to resume")
        return lines

    def picture(self, state: LearningState, width: int, height: int) -> RenderableType:
        """Return a progress bar, and the generations so far."""
        records = state.records[-max(height - 4, 1) :]
        done = len(state.records) * state.settings.games + state.games * (not state.fitting)
        bar = progress_bar(
            min(done, state.target * state.settings.games),
            state.target * state.settings.games,
            width,
        )
        return Group(bar, fit(generation_columns(records), width).table())


def generation_columns(records: Sequence[GenerationRecord]) -> list[Column]:
    """Return the columns of a table with a row per generation."""
    all_quality = [record.quality for record in records]
    return [
        Column("generation", [str(record.generation) for record in records]),
        Column("positions", [f"{record.positions:,}" for record in records], level=1),
        Column("learned loss", [f"{one.learned_loss:.4f}" for one in all_quality]),
        Column("held-out loss", [f"{one.held_out_loss:.4f}" for one in all_quality]),
        Column("search loss", [f"{one.searched_loss:.4f}" for one in all_quality], level=2),
        Column("winner named", [f"{one.right:.1%}" for one in all_quality]),
        Column("calibration error", [f"{one.calibration_error:.1%}" for one in all_quality]),
    ]
