"""The gain of each version over the version it is based on."""

from collections.abc import Sequence

from ladder.results.standings.lineage import Step, StepVerdict
from reports.html.charts.ratings import step_chart
from reports.html.figures import Figure, Row
from reports.html.tables import Cell, Table, headings, number

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
        table=_table(rows),
        spec=step_chart(rows) if rows else None,
    )


def _table(rows: Sequence[Row]) -> Table:
    return Table(
        headings("bot", "based on", "#Elo", "#± 95 %", "#games", "verdict", "change"),
        [
            (
                Cell(row["bot"]),
                Cell(row["based_on"]),
                number(row["elo"], "+.0f"),
                number(row["error"]),
                number(row["games"]),
                Cell(_VERDICTS[row["verdict"]], verdict=row["verdict"]),
                Cell(row["change"]),
            )
            for row in rows
        ],
    )
