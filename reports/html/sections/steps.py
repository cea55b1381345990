"""The gain of each version over the version it is based on."""

from collections.abc import Sequence

from ladder.results.standings.lineage import Step, StepVerdict
from reports.html.charts.ratings import step_chart
from reports.html.figures import Figure
from reports.html.tables import Cell, table_of

_VERDICTS = {
    StepVerdict.GAINED.value: "gained",
    StepVerdict.UNDECIDED.value: "undecided",
    StepVerdict.LOST.value: "lost",
}


def steps_figure(steps: Sequence[Step]) -> Figure:
    """Return the figure of differences between versions and their predecessors."""
    rows = [
        {
            "bot": step.bot,
            "based_on": step.based_on,
            "label": f"{step.bot} over {step.based_on}",
            "change": step.change,
            "elo": step.elo,
            "error": step.error95,
            "low": step.elo - step.error95,
            "high": step.elo + step.error95,
            "games": step.games,
            "verdict": step.verdict.value,
        }
        for step in steps
    ]
    return Figure(
        name="steps",
        label="Difference of each version to its predecessor with its 95 % interval",
        caption="Versions and their predecessors",
        table=table_of(
            rows,
            ("bot", "bot"),
            ("based on", "based_on"),
            ("#Elo", "elo", "+.0f"),
            ("#± 95 %", "error"),
            ("#games", "games"),
            ("verdict", lambda row: Cell(_VERDICTS[row["verdict"]], verdict=row["verdict"])),
            ("~change", "change"),
        ),
        spec=step_chart(rows) if rows else None,
    )
