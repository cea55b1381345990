"""Trainings: their progress, and what they found."""

from collections.abc import Sequence

from ladder.learning.c4ai.loop import TrainingState
from ladder.learning.value.folder import GenerationRecord
from ladder.learning.value.loop import LearningState
from ladder.learning.value.settings import format_command
from reports.findings.finding import Case, Finding
from reports.layout.fields import Field, Table
from reports.layout.progress import View


class TrainingView(View[TrainingState]):
    """How to show a training of c4ai."""

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

    def done(self, state: TrainingState) -> tuple[int, int]:
        """Return the generations."""
        return state.generation, state.target


GENERATIONS = (
    Field("generation", "generation", form="d"),
    Field("games"),
    Field("positions", "positions", form=",d", level=1),
    Field("learned_loss", "learned loss", form=".4f", value=lambda one: one.quality.learned_loss),
    Field(
        "held_out_loss", "held-out loss", form=".4f", value=lambda one: one.quality.held_out_loss
    ),
    Field(
        "searched_loss",
        "search loss",
        form=".4f",
        value=lambda one: one.quality.searched_loss,
        level=2,
    ),
    Field("right", "winner named", form=".1%", value=lambda one: one.quality.right),
    Field(
        "calibration_error",
        "calibration error",
        form=".1%",
        value=lambda one: one.quality.calibration_error,
    ),
    Field("seconds", digits=1),
)
"""The columns of the generations of a training of the evaluation."""


def format_generation(record: GenerationRecord) -> str:
    """Describe a generation's samples and quality in one line."""
    quality = record.quality
    return (
        f"generation {record.generation}: {record.positions:,} positions, held-out loss "
        f"{quality.held_out_loss:.4f} (of the searches {quality.searched_loss:.4f}), winner named "
        f"{quality.right:.1%}, calibration error {quality.calibration_error:.1%}"
    )


class LearningView(View[LearningState]):
    """How to show a training of the evaluation."""

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
                f"{quality.calibration_error:.1%}"
            )
        return ", ".join(parts)

    def ending(self, state: LearningState) -> Sequence[str]:
        """Return the progress if the training stopped; its finding follows."""
        if len(state.records) >= state.target:
            return []
        return [f"stopped: {self.status(state)}; repeat the command to resume"]

    def done(self, state: LearningState) -> tuple[int, int]:
        """Return the games of all generations."""
        games = state.settings.games
        done = len(state.records) * games + state.games * (not state.fitting)
        return done, state.target * games


def training_finding(state: LearningState, weights: str) -> Finding:
    """Return the finding of a training; at least one generation must be finished.

    Args:
        state: the training.
        weights: the file of its weights.

    """
    last, records = state.records[-1], state.records
    command = format_command(state.settings, last.generation)
    calibration = Table(
        CALIBRATION, last.quality.calibration, caption="Held-out positions by expected result"
    )
    return Finding(
        kind="train value",
        question="How good are the trained weights?",
        word=f"generation {last.generation}",
        sentence=(
            f"the weights of generation {last.generation} name the winner of "
            f"{last.quality.right:.1%} of held-out positions"
        ),
        facts=[
            ("Weights", weights),
            ("Trained with", command),
            ("Games", f"{sum(record.games for record in records):,}"),
            ("Positions of the last generation", f"{last.positions:,}"),
            ("Time", f"{sum(record.seconds for record in records) / 60:.0f} min"),
        ],
        tables=[Table(GENERATIONS, records, caption="Held-out games of each generation")],
        details=[calibration],
        notes=[
            "a prediction of one half has a cross-entropy of 0.693",
            "each generation has games of its own: compare the evaluation and the search of one "
            "generation",
        ],
        document={
            "generation": last.generation,
            "target": state.target,
            "weights": weights,
            "command": command,
            "generations": Table(GENERATIONS, records).documents(),
            "calibration": calibration.documents(),
        },
        cases=[Case("the training", "" if last.generation >= state.target else "error")],
    )


CALIBRATION = (
    Field("expected", "expected", form=".3f"),
    Field("scored", "scored", form=".3f"),
    Field("positions", "positions", form=",d"),
)
"""The columns of held-out positions by expected result."""
