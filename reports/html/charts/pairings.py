"""Heat maps of scores and of mistakes."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from reports.html.charts.spec import FULL_CELLS, INK, NUMBERED_CELLS, finished, values
from reports.html.figures import Row, Spec


def heat_map(rows: Sequence[Row], order: Sequence[str]) -> Spec:
    """Return a heat map of the row's bot against the column's, with residuals from the rating list.

    Rows have ``a``, ``b``, ``score``, ``label``, ``interval``, ``wdl``, ``games``, ``error``,
    ``z``, ``residual``, ``surprise``. With few bots each cell shows all numbers, with more the
    score and surprising residuals, with many only a colour and a frame.
    """
    base = alt.Chart(values(rows)).encode(
        x=alt.X(
            "b:N", sort=list(order), title="against", axis=alt.Axis(labelAngle=-45, orient="top")
        ),
        y=alt.Y("a:N", sort=list(order), title=None),
    )
    score = alt.Color(
        "score:Q",
        title="score",
        scale=alt.Scale(
            domain=[0, 0.5, 1], range=["#b2560d", "#f3f1ec", "#2166ac"], interpolate="lab"
        ),
        legend=alt.Legend(format=".0%", orient="bottom", gradientLength=160),
    )
    cells = base.mark_rect(stroke="var(--page)", strokeWidth=1).encode(
        color=score,
        tooltip=[
            "a:N",
            "b:N",
            "games:Q",
            alt.Tooltip("score:Q", format=".1%"),
            alt.Tooltip("wdl:N", title="won-drawn-lost"),
            alt.Tooltip("error:Q", format=".1%", title="± (95 %)"),
            alt.Tooltip("z:Q", format="+.1f", title="residual in standard errors"),
        ],
    )
    surprising = base.transform_filter("datum.surprise")
    frames = surprising.mark_rect(filled=False, stroke=INK, strokeWidth=2, tooltip=None)
    layers = [cells]
    surprises = any(row["surprise"] for row in rows)
    if surprises:  # an empty layer would be announced by screen readers without a name
        layers.append(frames)
    text = alt.condition(
        "datum.score < 0.06 || datum.score > 0.92", alt.value("#ffffff"), alt.value("#1b1b1b")
    )

    def written(field: str, dy: int, size: int, chart: Any = base) -> Any:
        return chart.mark_text(fontSize=size, dy=dy, tooltip=None).encode(
            text=f"{field}:N", color=text
        )

    if len(order) <= FULL_CELLS:
        layers += [written("interval", -14, 12), written("wdl", 1, 11), written("residual", 15, 11)]
        return finished(alt.layer(*layers), height=alt.Step(52), width=alt.Step(94))
    if len(order) <= NUMBERED_CELLS:
        layers.append(written("label", -6, 11))
        if surprises:
            layers.append(written("residual", 8, 10, surprising))
        return finished(alt.layer(*layers), height=alt.Step(34), width=alt.Step(52))
    return finished(alt.layer(*layers), height=alt.Step(20), width=alt.Step(20))


def mistakes_map(rows: Sequence[Row], order: Sequence[str]) -> Spec:
    """Return a heat map of mistakes per 100 decisions: a row per bot, a column per plies left.

    Rows have ``bot``, ``left``, ``first`` (its order), ``rate``, ``label``, ``decisions``,
    ``mistakes``, ``unknown``.
    """
    base = alt.Chart(values(rows)).encode(
        x=alt.X(
            "left:N",
            sort=alt.EncodingSortField("first", order="descending"),
            title="plies left",
            axis=alt.Axis(labelAngle=0, orient="top"),
        ),
        y=alt.Y("bot:N", sort=list(order), title=None),
    )
    cells = base.mark_rect(stroke="var(--page)", strokeWidth=1).encode(
        color=alt.Color(
            "rate:Q",
            title="mistakes per 100 decisions",
            scale=alt.Scale(range=["#f3f1ec", "#b2560d"], interpolate="lab", domainMin=0),
            legend=alt.Legend(orient="bottom", gradientLength=160),
        ),
        tooltip=[
            "bot:N",
            alt.Tooltip("left:N", title="plies left"),
            "decisions:Q",
            "mistakes:Q",
            alt.Tooltip("unknown:Q", title="unknown moves"),
            alt.Tooltip("rate:Q", title="per 100", format=".1f"),
        ],
    )
    numbers = base.mark_text(fontSize=11, tooltip=None).encode(
        text="label:N", color=alt.value("#1b1b1b")
    )
    return finished(alt.layer(cells, numbers), height=alt.Step(24), width=alt.Step(58))
