"""Charts of speed and of move times."""

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

ROUND_SPEEDS = [factor * 10**power for power in range(10) for factor in (1, 2, 5)]
"""Values for grid lines of the axis of speeds; Vega would draw nine per power of ten."""


def _around(speeds: Sequence[float]) -> list[float]:
    """Return the round speeds next below and above all speeds, so that similar speeds look so."""
    below = [value for value in ROUND_SPEEDS if value < min(speeds)]
    above = [value for value in ROUND_SPEEDS if value > max(speeds)]
    return [max(below, default=min(speeds)), min(above, default=max(speeds))]


def speed_chart(rows: Sequence[Row]) -> Spec:
    """Return a chart of speeds: rows of ``bot``, ``speed`` (simulations/s or nodes/s, above 0).

    The axis is logarithmic: alpha-beta has ten times as many nodes as other searches have
    simulations, which would look alike on a linear axis.
    """
    base = alt.Chart(values(rows)).encode(y=alt.Y("bot:N", sort=None, title=None))
    dots = base.mark_point(filled=True, size=70, opacity=1, color=ACCENT).encode(
        x=alt.X(
            "speed:Q",
            title="simulations/s or nodes/s",
            scale=alt.Scale(type="log", nice=False, domain=_around([row["speed"] for row in rows])),
            axis=alt.Axis(format="~s", values=ROUND_SPEEDS),
        ),
        tooltip=["bot:N", alt.Tooltip("speed:Q", format=",.0f")],
    )
    numbers = base.mark_text(align="left", dx=8, color=INK, fontSize=12).encode(
        x=alt.value("width"), text=alt.Text("speed:Q", format=".3s")
    )
    return finished(dots + numbers, height=height_of(rows, "bot", 20))


def time_chart(rows: Sequence[Row], budget_ms: float | None) -> Spec:
    """Return a chart of move times in ms: median, quartiles, 1 % and 99 %, and the budget."""
    base = alt.Chart(values(rows)).encode(y=alt.Y("bot:N", sort=None, title=None))
    x = alt.X("low:Q", title="ms a move: median, quartiles, 1 % and 99 %")
    tips = ["bot:N", "moves:Q", *(rounded(name, ".1f") for name in ("low", "median", "high"))]
    layers = [
        base.mark_rule(color=INK).encode(x=x, x2="high:Q"),
        base.mark_bar(color=ACCENT, height=10).encode(
            x="quarter:Q", x2="three_quarters:Q", tooltip=tips
        ),
        base.mark_tick(color=INK, thickness=2, size=14).encode(x="median:Q", tooltip=tips),
    ]
    if budget_ms is not None:
        limit = alt.Chart(values([{"budget": budget_ms}]))
        layers.append(limit.mark_rule(color=LOST, strokeDash=[4, 3]).encode(x="budget:Q"))
    return finished(alt.layer(*layers), height=height_of(rows, "bot", 20))


def cpu_chart(rows: Sequence[Row]) -> Spec:
    """Return a chart of mean times of a move: rows of ``bot``, ``clock``, ``ms``, ``share``."""
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
