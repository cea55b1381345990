"""Charts of ratings, of steps between versions, and of ratings over time."""

from collections.abc import Sequence
from functools import lru_cache

import altair as alt

from reports.html.charts.spec import (
    ACCENT,
    GAINED,
    INK,
    LOST,
    PALETTE,
    TICKS,
    UNDECIDED,
    WHOLE,
    finished,
    height_of,
    named_rows,
    rounded,
    values,
    with_rows,
)
from reports.html.figures import Row, Spec


def rating_chart(rows: Sequence[Row]) -> Spec:
    """Return a chart with a dot and its 95 % interval per bot, the best bot on top.

    Rows have ``bot``, ``elo``, ``error``, ``low``, ``high``, ``label``, ``games``, ``wins``,
    ``draws``, ``losses``, ``anchored``.
    """
    return with_rows(_rating_frame(), rows, height=height_of(rows, "bot", 22))


@lru_cache(maxsize=1)
def _rating_frame() -> Spec:
    base = alt.Chart(named_rows()).encode(y=alt.Y("bot:N", sort=None, title=None))
    scale = alt.Scale(zero=False, padding=12)
    axis = alt.Axis(tickCount=TICKS, labelOverlap=True)
    tips = [
        alt.Tooltip("bot:N"),
        alt.Tooltip("elo:Q", format=".0f"),
        alt.Tooltip("error:Q", format=".0f", title="± (95 %)"),
        alt.Tooltip("games:Q"),
        alt.Tooltip("wins:Q"),
        alt.Tooltip("draws:Q"),
        alt.Tooltip("losses:Q"),
    ]
    whiskers = base.mark_rule(color=INK, strokeWidth=1.5).encode(
        x=alt.X("low:Q", title="Elo", scale=scale, axis=axis), x2="high:Q"
    )
    dots = base.mark_point(filled=True, size=70, opacity=1, color=ACCENT).encode(
        x=alt.X("elo:Q", scale=scale, axis=axis),
        shape=alt.Shape(
            "anchored:N",
            legend=None,
            scale=alt.Scale(domain=[False, True], range=["circle", "diamond"]),
        ),
        tooltip=tips,
    )
    numbers = base.mark_text(align="left", dx=8, color=INK, fontSize=12).encode(
        x=alt.value("width"), text="label:N"
    )
    return finished(whiskers + dots + numbers, height=0)


def step_chart(rows: Sequence[Row]) -> Spec:
    """Return a chart of each version's difference to its predecessor, with its interval.

    Rows have ``bot``, ``based_on``, ``label``, ``elo``, ``low``, ``high``, ``verdict``.
    """
    domain = ["gained", "undecided", "lost"]
    colour = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=domain, range=[GAINED, UNDECIDED, LOST]),
        legend=alt.Legend(title=None, orient="top"),
    )
    base = alt.Chart(values(rows)).encode(y=alt.Y("label:N", sort=None, title=None))
    zero = alt.Chart(values([{"zero": 0}])).mark_rule(color=INK).encode(x="zero:Q")
    bars = base.mark_bar(height=8).encode(
        x=alt.X("elo:Q", title="Elo over the version before"), color=colour
    )
    whiskers = base.mark_rule(strokeWidth=1.5, color=INK).encode(x="low:Q", x2="high:Q")
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        x="elo:Q",
        color=colour,
        shape=alt.Shape(
            "verdict:N",
            scale=alt.Scale(domain=domain, range=["triangle-right", "circle", "triangle-left"]),
            legend=alt.Legend(title=None, orient="top"),
        ),
        tooltip=["bot:N", "based_on:N", rounded("elo"), rounded("low"), rounded("high")],
    )
    return finished(zero + bars + whiskers + points, height=height_of(rows, "label", 22))


def history_chart(
    rows: Sequence[Row],
    order: Sequence[str],
    *,
    games: str = "games of the division",
    elo: str = "Elo",
) -> Spec:
    """Return a chart of ratings with their bands over the games played.

    Args:
        rows: with ``bot``, ``games``, ``elo``, ``low``, ``high``.
        order: the bots in the legend's order, no more than there are colours in `PALETTE`.
        games: the title of the x axis.
        elo: the title of the y axis.

    """
    return with_rows(_history_frame(tuple(order), games, elo), rows)


@lru_cache(maxsize=32)
def _history_frame(order: tuple[str, ...], games: str, elo: str) -> Spec:
    legend = alt.Legend(title=None, symbolType="stroke", symbolStrokeWidth=3)
    colour = alt.Color(
        "bot:N",
        sort=list(order),
        scale=alt.Scale(domain=list(order), range=PALETTE[: len(order)]),
        legend=legend if len(order) > 1 else None,
    )
    chosen = alt.selection_point(fields=["bot"], bind="legend")
    base = alt.Chart(named_rows()).encode(x=alt.X("games:Q", title=games, axis=WHOLE), color=colour)
    band = base.mark_area(opacity=0.18).encode(
        y=alt.Y("low:Q", title=elo, scale=alt.Scale(zero=False)),
        y2="high:Q",
        opacity=alt.condition(chosen, alt.value(0.18), alt.value(0.02)),
    )
    line = base.mark_line(strokeWidth=2).encode(
        y=alt.Y("elo:Q", scale=alt.Scale(zero=False)),
        opacity=alt.condition(chosen, alt.value(1), alt.value(0.12)),
        tooltip=["bot:N", "games:Q", rounded("elo"), rounded("low"), rounded("high")],
    )
    return finished((band + line).add_params(chosen), height=320)


def date_chart(rows: Sequence[Row]) -> Spec:
    """Return a chart of ratings in the order of dates, evenly spaced as dates come in groups.

    Rows have ``bot``, ``day``, ``place`` (name and date), ``of``, ``elo``, ``low``, ``high``.
    """
    base = alt.Chart(values(rows)).encode(
        x=alt.X(
            "place:N",
            sort=None,
            title="committed or registered (UTC), earliest first",
            axis=alt.Axis(labelExpr="split(datum.label, '|')", labelAngle=0, labelOverlap=True),
        )
    )
    whiskers = base.mark_rule(color=INK).encode(
        y=alt.Y("low:Q", title="Elo", scale=alt.Scale(zero=False)), y2="high:Q"
    )
    dots = base.mark_point(filled=True, size=60, opacity=1, color=ACCENT).encode(
        y="elo:Q", tooltip=["bot:N", "of:N", "day:N", rounded("elo")]
    )
    return finished(whiskers + dots, height=220, width=alt.Step(64))
