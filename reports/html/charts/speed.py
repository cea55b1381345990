"""Speed and move times as charts."""

from collections.abc import Sequence

import altair as alt

from reports.html.charts.spec import (
    ACCENT,
    INK,
    LOST,
    UNDECIDED,
    finished,
    height_of,
    rounded,
    values,
)
from reports.html.figures import Row, Spec


def speed_chart(rows: Sequence[Row]) -> Spec:
    """Simulations or nodes a second per bot: ``bot``, ``speed``."""
    base = alt.Chart(values(rows)).encode(
        y=alt.Y("bot:N", sort=None, title=None),
        x=alt.X("speed:Q", title="simulations or nodes a second", axis=alt.Axis(format="~s")),
    )
    return finished(
        base.mark_bar(color=ACCENT, height=10).encode(
            tooltip=["bot:N", alt.Tooltip("speed:Q", format=",.0f")]
        ),
        height=height_of(rows, "bot", 20),
    )


def time_chart(rows: Sequence[Row], budget_ms: float | None) -> Spec:
    """Move times per bot in ms: median, middle half and 1 to 99 %, beside the budget."""
    base = alt.Chart(values(rows)).encode(y=alt.Y("bot:N", sort=None, title=None))
    x = alt.X("low:Q", title="milliseconds a move (1 % to 99 %, middle half, median)")
    tips = ["bot:N", "moves:Q", *(rounded(name, ".1f") for name in ("low", "median", "high"))]
    layers = [
        base.mark_rule(color=INK).encode(x=x, x2="high:Q"),
        base.mark_bar(color=ACCENT, height=10).encode(x="quarter:Q", x2="three:Q", tooltip=tips),
        base.mark_tick(color=INK, thickness=2, size=14).encode(x="median:Q", tooltip=tips),
    ]
    if budget_ms is not None:
        limit = alt.Chart(values([{"budget": budget_ms}]))
        layers.append(limit.mark_rule(color=LOST, strokeDash=[4, 3]).encode(x="budget:Q"))
    return finished(alt.layer(*layers), height=height_of(rows, "bot", 20))


def cpu_chart(rows: Sequence[Row]) -> Spec:
    """Mean processor and wall time of a move: rows of ``bot``, ``clock``, ``ms``, ``share``."""
    base = alt.Chart(values(rows)).encode(
        y=alt.Y("bot:N", sort=None, title=None),
        yOffset=alt.YOffset("clock:N", sort=["wall", "processor"]),
        x=alt.X("ms:Q", title="milliseconds a move, mean"),
    )
    bars = base.mark_bar().encode(
        color=alt.Color(
            "clock:N",
            sort=["wall", "processor"],
            scale=alt.Scale(domain=["wall", "processor"], range=[UNDECIDED, ACCENT]),
            legend=alt.Legend(title=None, orient="top"),
        ),
        tooltip=["bot:N", "clock:N", rounded("ms", ".1f"), alt.Tooltip("share:Q", format=".0%")],
    )
    return finished(bars, height=height_of(rows, "bot", 26))
