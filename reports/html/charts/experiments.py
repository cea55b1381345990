"""Charts of experiments: estimates with their intervals."""

from collections.abc import Sequence

import altair as alt

from reports.html.charts.spec import (
    GAINED,
    INK,
    LOST,
    UNDECIDED,
    finished,
    height_of,
    rounded,
    values,
)
from reports.html.figures import Row, Spec


def interval_chart(rows: Sequence[Row], title: str) -> Spec:
    """Return a chart of a dot with its 95 % interval per row, in the order of the rows.

    Rows have ``name``, ``elo``, ``low``, ``high``, ``label``, ``verdict`` (gained, undecided or
    lost).
    """
    base = alt.Chart(values(rows)).encode(y=alt.Y("name:N", sort=None, title=None))
    whiskers = base.mark_rule(color=INK, strokeWidth=1.5).encode(
        x=alt.X("low:Q", title=title), x2="high:Q"
    )
    domain = ["gained", "undecided", "lost"]
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(
        x="elo:Q",
        color=alt.Color(
            "verdict:N",
            scale=alt.Scale(domain=domain, range=[GAINED, UNDECIDED, LOST]),
            legend=None,
        ),
        shape=alt.Shape(
            "verdict:N",
            scale=alt.Scale(domain=domain, range=["circle", "diamond", "triangle-down"]),
            legend=None,
        ),
        tooltip=["name:N", rounded("elo"), rounded("low"), rounded("high")],
    )
    numbers = base.mark_text(align="left", dx=8, color=INK, fontSize=12).encode(
        x=alt.value("width"), text="label:N"
    )
    return finished(whiskers + dots + numbers, height=height_of(rows, "name", 22))
