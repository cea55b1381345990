"""Charts of a gate: the LLR history and the pair counts."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt

from reports.html.charts.spec import (
    GAINED,
    INK,
    LOST,
    PALETTE,
    WHOLE,
    finished,
    named_rows,
    rounded,
    values,
    with_rows,
)
from reports.html.figures import Row, Spec


def llr_chart(rows: Sequence[Row], bounds: tuple[float, float]) -> Spec:
    """Return a chart of a gate's LLR over the counted pairs, between its bounds.

    Rows have ``pair``, ``llr``, ``against``.
    """
    several = len({row["against"] for row in rows}) > 1
    return with_rows(_llr_frame(bounds, several), rows)


@lru_cache(maxsize=32)
def _llr_frame(bounds: tuple[float, float], several: bool) -> Spec:
    line = (
        alt.Chart(named_rows())
        .mark_line(strokeWidth=2, interpolate="step-after")
        .encode(
            x=alt.X("pair:Q", title="pairs", axis=WHOLE),
            y=alt.Y("llr:Q", title="LLR"),
            color=alt.Color(
                "against:N",
                scale=alt.Scale(range=PALETTE),
                legend=alt.Legend(title="against", orient="top") if several else None,
            ),
            tooltip=["against:N", "pair:Q", rounded("llr", ".2f")],
        )
    )
    ends = [
        {"bound": bounds[0], "label": f"failed below {bounds[0]:.2f}", "verdict": "lost"},
        {"bound": bounds[1], "label": f"passed above {bounds[1]:.2f}", "verdict": "gained"},
    ]
    limits = alt.Chart(values(ends)).encode(
        y="bound:Q",
        stroke=alt.Stroke(
            "verdict:N",
            scale=alt.Scale(domain=["gained", "lost"], range=[GAINED, LOST]),
            legend=None,
        ),
    )
    rules = limits.mark_rule(strokeDash=[6, 4], strokeWidth=1.5)
    words = [part for end in ends for part in _bound_label(end)]
    return finished(alt.layer(rules, line, *words), height=240)


def _bound_label(end: Row) -> list[alt.Chart]:
    """Return a bound's label on the inner side of its line, with a halo that covers the grid."""
    at_top = end["bound"] > 0
    # A constant has no scale: the label stays at the left edge.
    base = alt.Chart(values([end])).encode(y="bound:Q", x=alt.value(0), text="label:N")
    placed: dict[str, Any] = {
        "align": "left",
        "baseline": "top" if at_top else "bottom",
        "dx": 4,
        "dy": 6 if at_top else -6,
        "fontSize": 12,
    }
    halo = base.mark_text(**placed, stroke="var(--page)", strokeWidth=4)
    return [halo, base.mark_text(**placed, color=INK)]


def pentanomial_chart(rows: Sequence[Row]) -> Spec:
    """Return a bar chart of pairs by points: rows of ``points``, ``pairs``, ``against``."""
    many = len({row["against"] for row in rows}) > 1
    base = alt.Chart(values(rows)).encode(
        x=alt.X("points:N", sort=None, title="points of a pair", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("pairs:Q", title="pairs", axis=WHOLE),
        xOffset=alt.XOffset("against:N") if many else alt.Undefined,
    )
    bars = base.mark_bar().encode(
        color=alt.Color(
            "against:N",
            scale=alt.Scale(range=PALETTE),
            legend=alt.Legend(title="against", orient="top") if many else None,
        ),
        tooltip=["against:N", "points:N", "pairs:Q"],
    )
    counts = base.mark_text(dy=-6, color=INK).encode(text="pairs:Q")
    step = alt.Step(36 if many else 72)
    return finished(bars + counts, height=180, width=step)
