"""The page of a training of the evaluation function."""

from ladder.learning.value.loop import LearningState
from ladder.learning.value.settings import format_command
from reports.html.charts.learning import calibration_chart, loss_chart
from reports.html.figures import Figure
from reports.html.page import render
from reports.html.sections.verdict import machine_facts
from reports.html.tables import table_from_columns, table_of
from reports.layout.format import values_of
from reports.train.value import generation_columns

SECTIONS = (("training", "Training"), ("losses", "Losses"), ("calibration", "Calibration"))


def learning_page(state: LearningState) -> str:
    """Return the page as HTML; at least one generation must be finished."""
    losses, calibration = _losses(state), _calibration(state)
    last = state.records[-1]
    return render(
        "learning.html.j2",
        charts=(losses, calibration),
        title=f"Training of the evaluation, generation {last.generation}",
        heading="Training of the evaluation",
        sections=SECTIONS,
        command=format_command(state.settings, last.generation),
        facts=[
            ("Generations", str(last.generation)),
            ("Games", f"{sum(record.games for record in state.records):,}"),
            ("Positions of the last one", f"{last.positions:,}"),
            ("Held-out loss", f"{last.quality.held_out_loss:.4f}"),
            ("Winner predicted", f"{100 * last.quality.right:.1f}%"),
            ("Time", f"{sum(record.seconds for record in state.records) / 60:.0f} min"),
            *machine_facts(),
        ],
        losses=losses,
        calibration=calibration,
    )


def _losses(state: LearningState) -> Figure:
    rows = [
        {"generation": record.generation, "of": name, "loss": loss}
        for record in state.records
        for name, loss in (
            ("evaluation", record.quality.held_out_loss),
            ("search", record.quality.searched_loss),
        )
    ]
    return Figure(
        name="losses",
        label="Cross-entropy on held-out games by generation, of the evaluation and of the search",
        caption="Held-out games of each generation",
        table=table_from_columns(generation_columns(state.records)),
        spec=loss_chart(rows),
        is_open=True,
    )


def _calibration(state: LearningState) -> Figure:
    bins = state.records[-1].quality.calibration
    rows = [values_of(one, "expected", "scored", "positions") for one in bins]
    table = table_of(
        bins,
        ("#expected", "expected", ".3f"),
        ("#scored", "scored", ".3f"),
        ("#positions", "positions"),
    )
    return Figure(
        name="calibration",
        label="Mean result of held-out games over the result that the evaluation predicted",
        caption="Held-out positions by predicted result",
        table=table,
        spec=calibration_chart(rows),
        is_open=True,
    )
