"""Charts of a training: losses by generation, and calibration."""

from collections.abc import Sequence

import altair as alt

from reports.html.charts.spec import ACCENT, FAINT, INK, finished, rounded, values
from reports.html.figures import Row, Spec


def loss_chart(rows: Sequence[Row]) -> Spec:
    """Return a chart of losses by generation: rows of ``generation``, ``loss``, ``of``."""
    chart = (
        alt.Chart(values(rows))
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=alt.X("generation:O", title="generation", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("loss:Q", title="cross-entropy, nats", scale=alt.Scale(zero=False)),
            color=alt.Color("of:N", title=None, scale=alt.Scale(range=[ACCENT, INK])),
            strokeDash=alt.StrokeDash("of:N", title=None),
            tooltip=["generation:O", "of:N", rounded("loss", ".4f")],
        )
    )
    return finished(chart, height=220)


def calibration_chart(rows: Sequence[Row]) -> Spec:
    """Return a chart of results: rows of ``expected``, ``scored``, ``positions``."""
    scale = alt.Scale(domain=[0, 1])
    points = (
        alt.Chart(values(rows))
        .mark_line(point=True, color=ACCENT, strokeWidth=2)
        .encode(
            x=alt.X("expected:Q", title="expected result", scale=scale),
            y=alt.Y("scored:Q", title="result of the games", scale=scale),
            tooltip=[rounded("expected", ".3f"), rounded("scored", ".3f"), "positions:Q"],
        )
    )
    right = (
        alt.Chart(values([{"expected": 0, "scored": 0}, {"expected": 1, "scored": 1}]))
        .mark_line(color=FAINT, strokeDash=[6, 4])
        .encode(x="expected:Q", y="scored:Q")
    )
    return finished(alt.layer(right, points), height=260)
