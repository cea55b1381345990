"""Charts of a tuning: values with the tried range."""

from collections.abc import Sequence

import altair as alt

from reports.html.charts.spec import ACCENT, INK, finished, rounded, values
from reports.html.figures import Row, Spec


def parameter_chart(rows: Sequence[Row], name: str, *, start: float, is_log: bool) -> Spec:
    """Return a chart of a parameter: rows of ``games``, ``value``, ``low``, ``high``."""
    scale = alt.Scale(type="log") if is_log else alt.Scale(zero=False)
    base = alt.Chart(values(rows)).encode(x=alt.X("games:Q", title="games"))
    band = base.mark_area(color=ACCENT, opacity=0.18).encode(
        y=alt.Y("low:Q", scale=scale, title=name), y2="high:Q"
    )
    line = base.mark_line(color=ACCENT, strokeWidth=2).encode(
        y=alt.Y("value:Q", scale=scale),
        tooltip=["games:Q", rounded("value", ".4~g"), rounded("low", ".4~g"),
                 rounded("high", ".4~g")],
    )  # fmt: skip
    begin = (
        alt.Chart(values([{"start": start}]))
        .mark_rule(color=INK, strokeDash=[6, 4])
        .encode(y=alt.Y("start:Q", scale=scale))
    )
    return finished(alt.layer(band, begin, line), height=180)
