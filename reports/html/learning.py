"""The page of a training of the evaluation function."""

from ladder.learning.value.loop import LearningState
from ladder.learning.value.settings import format_command
from reports.findings.finding import Finding, Titled
from reports.html.charts.learning import calibration_chart, loss_chart
from reports.html.figures import Figure
from reports.html.findings import finding_page, finding_parts
from reports.html.tables import table_of
from reports.layout.format import values_of
from reports.train.value import format_generation, generation_columns


def learning_finding(state: LearningState) -> Finding:
    """Return the finding of a training; at least one generation must be finished."""
    last, records = state.records[-1], state.records
    return Finding(
        kind="train value",
        question="Training of the evaluation",
        word=f"generation {last.generation}",
        sentence=(
            f"the weights of generation {last.generation} name the winner of "
            f"{100 * last.quality.right:.1f} % of held-out positions"
        ),
        facts=[
            ("Trained with", format_command(state.settings, last.generation)),
            ("Generations", str(last.generation)),
            ("Games", f"{sum(record.games for record in records):,}"),
            ("Positions of the last one", f"{last.positions:,}"),
            ("Held-out loss", f"{last.quality.held_out_loss:.4f}"),
            ("Time", f"{sum(record.seconds for record in records) / 60:.0f} min"),
        ],
        tables=[Titled("Held-out games of each generation", generation_columns(records))],
        notes=[
            "a prediction of one half has a cross-entropy of 0.693",
            "each generation has games of its own: compare the evaluation and the search of one "
            "generation",
        ],
        document={
            "generations": [format_generation(record) for record in records],
        },
    )


def learning_page(state: LearningState) -> str:
    """Return the page of a training as HTML; at least one generation must be finished."""
    finding = learning_finding(state)
    return finding_page(finding, finding_parts(finding, [_losses(state), _calibration(state)]))


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
        table=None,
        spec=loss_chart(rows),
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
    )
