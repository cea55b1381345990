"""The charts of a page as Vega-Lite, made with Altair; each beside the table that it draws.

Colours are custom properties of the page, so that a chart follows light, dark and print without
being drawn anew. The three colours of gained, undecided and lost differ in lightness as well
(Okabe and Ito 2008), and every mark repeats its verdict as a shape or a word.
"""

from collections.abc import Sequence
from typing import Any

import altair as alt

from reports.html.figures import Row, Spec

INK, FAINT, ACCENT = "var(--ink)", "var(--line)", "var(--accent)"
GAINED, UNDECIDED, LOST = "var(--gained)", "var(--undecided)", "var(--lost)"
FONT = "system-ui, 'DejaVu Sans', sans-serif"
"""By name: Vega measures labels in it."""
PALETTE = [f"var(--series-{number})" for number in range(1, 9)]


def rating_chart(rows: Sequence[Row]) -> Spec:
    """A dot and a 95 % whisker per bot, best on top.

    Rows have ``bot``, ``elo``, ``low``, ``high``, ``games``, ``score``, ``anchored``.
    """
    base = alt.Chart(_values(rows)).encode(y=alt.Y("bot:N", sort=None, title=None))
    scale = alt.Scale(zero=False, padding=12)
    tips = [
        alt.Tooltip("bot:N"),
        alt.Tooltip("elo:Q", format=".0f"),
        alt.Tooltip("error:Q", format=".0f", title="+- (95 %)"),
        alt.Tooltip("games:Q"),
        alt.Tooltip("wins:Q"),
        alt.Tooltip("draws:Q"),
        alt.Tooltip("losses:Q"),
    ]
    whiskers = base.mark_rule(color=INK, strokeWidth=1.5).encode(
        x=alt.X("low:Q", title="Elo", scale=scale), x2="high:Q"
    )
    dots = base.mark_point(filled=True, size=70, opacity=1, color=ACCENT).encode(
        x=alt.X("elo:Q", scale=scale),
        shape=alt.Shape(
            "anchored:N",
            legend=None,
            scale=alt.Scale(domain=[False, True], range=["circle", "diamond"]),
        ),
        tooltip=tips,
    )
    return _spec(whiskers + dots, height=alt.Step(20))


def step_chart(rows: Sequence[Row]) -> Spec:
    """The gain of each change: the difference to the predecessor with its interval.

    Rows have ``bot``, ``based_on``, ``label``, ``elo``, ``low``, ``high``, ``verdict``.
    """
    domain = ["gained", "undecided", "lost"]
    colour = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=domain, range=[GAINED, UNDECIDED, LOST]),
        legend=alt.Legend(title=None, orient="top"),
    )
    base = alt.Chart(_values(rows)).encode(y=alt.Y("label:N", sort=None, title=None))
    zero = alt.Chart(_values([{"zero": 0}])).mark_rule(color=INK).encode(x="zero:Q")
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
            legend=None,
        ),
        tooltip=["bot:N", "based_on:N", _rounded("elo"), _rounded("low"), _rounded("high")],
    )
    return _spec(zero + bars + whiskers + points, height=alt.Step(22))


def history_chart(rows: Sequence[Row], order: Sequence[str]) -> Spec:
    """Ratings with their bands against the games played, named in this order.

    Rows have ``bot``, ``games``, ``elo``, ``low``, ``high``.
    """
    colour = alt.Color(
        "bot:N",
        sort=list(order),
        scale=alt.Scale(domain=list(order), range=PALETTE),
        legend=alt.Legend(title=None),
    )
    chosen = alt.selection_point(fields=["bot"], bind="legend")
    base = alt.Chart(_values(rows)).encode(
        x=alt.X("games:Q", title="games of the division"), color=colour
    )
    band = base.mark_area(opacity=0.18).encode(
        y=alt.Y("low:Q", title="Elo", scale=alt.Scale(zero=False)),
        y2="high:Q",
        opacity=alt.condition(chosen, alt.value(0.18), alt.value(0.02)),
    )
    line = base.mark_line(strokeWidth=2).encode(
        y=alt.Y("elo:Q", scale=alt.Scale(zero=False)),
        opacity=alt.condition(chosen, alt.value(1), alt.value(0.12)),
        tooltip=["bot:N", "games:Q", _rounded("elo"), _rounded("low"), _rounded("high")],
    )
    return _spec((band + line).add_params(chosen), height=320)


def date_chart(rows: Sequence[Row]) -> Spec:
    """The rating by the date on which a bot was registered: ``bot``, ``date`` (ms), ``elo``..."""
    base = alt.Chart(_values(rows)).encode(
        x=alt.X(
            "date:T",
            title="registered (UTC)",
            axis=alt.Axis(format="%b %d %H:%M", labelOverlap=True),
            scale=alt.Scale(type="utc", padding=20),
        )
    )
    whiskers = base.mark_rule(color=INK).encode(
        y=alt.Y("low:Q", title="Elo", scale=alt.Scale(zero=False)), y2="high:Q"
    )
    dots = base.mark_point(filled=True, size=60, opacity=1, color=ACCENT).encode(
        y="elo:Q", tooltip=["bot:N", "date:T", _rounded("elo")]
    )
    names = base.mark_text(dx=8, align="left", color=INK).encode(y="elo:Q", text="bot:N")
    return _spec(whiskers + dots + names, height=260)


def heat_map(rows: Sequence[Row], order: Sequence[str], *, numbers: bool) -> Spec:
    """Scores of the row's bot against the column's: ``a``, ``b``, ``score``, ``label``, ``z``...

    `numbers` writes the score into each cell, which wants few enough bots to be read.
    """
    base = alt.Chart(_values(rows)).encode(
        x=alt.X("b:N", sort=list(order), title="against", axis=alt.Axis(labelAngle=-45)),
        y=alt.Y("a:N", sort=list(order), title=None),
    )
    cells = base.mark_rect(stroke="var(--page)", strokeWidth=1).encode(
        color=alt.Color(
            "score:Q",
            title="score",
            scale=alt.Scale(
                domain=[0, 0.5, 1], range=["#b2560d", "#f3f1ec", "#2166ac"], interpolate="lab"
            ),
            legend=alt.Legend(format=".0%", orient="top", gradientLength=160),
        ),
        tooltip=[
            "a:N",
            "b:N",
            alt.Tooltip("score:Q", format=".1%"),
            alt.Tooltip("wdl:N", title="win-draw-loss"),
            alt.Tooltip("error:Q", format=".1%", title="+- (95 %)"),
            alt.Tooltip("z:Q", format="+.1f", title="residual in standard errors"),
        ],
    )
    if not numbers:
        return _spec(cells, height=alt.Step(18), width=alt.Step(18))
    marks = base.mark_text(fontSize=10).encode(
        text="label:N",
        color=alt.condition(
            "datum.score < 0.2 || datum.score > 0.8", alt.value("#ffffff"), alt.value("#1b1b1b")
        ),
    )
    return _spec(cells + marks, height=alt.Step(24), width=alt.Step(46))


def speed_chart(rows: Sequence[Row]) -> Spec:
    """Simulations or nodes a second per bot: ``bot``, ``speed``."""
    base = alt.Chart(_values(rows)).encode(
        y=alt.Y("bot:N", sort=None, title=None),
        x=alt.X("speed:Q", title="simulations or nodes a second", axis=alt.Axis(format="~s")),
    )
    return _spec(
        base.mark_bar(color=ACCENT, height=10).encode(
            tooltip=["bot:N", alt.Tooltip("speed:Q", format=",.0f")]
        ),
        height=alt.Step(20),
    )


def time_chart(rows: Sequence[Row], budget_ms: float | None) -> Spec:
    """Move times per bot in ms: median, middle half and 1 to 99 %, beside the budget."""
    base = alt.Chart(_values(rows)).encode(y=alt.Y("bot:N", sort=None, title=None))
    x = alt.X("low:Q", title="milliseconds a move (1 % to 99 %, middle half, median)")
    tips = ["bot:N", "moves:Q", *(_rounded(name, ".1f") for name in ("low", "median", "high"))]
    layers = [
        base.mark_rule(color=INK).encode(x=x, x2="high:Q"),
        base.mark_bar(color=ACCENT, height=10).encode(x="quarter:Q", x2="three:Q", tooltip=tips),
        base.mark_tick(color=INK, thickness=2, size=14).encode(x="median:Q", tooltip=tips),
    ]
    if budget_ms is not None:
        limit = alt.Chart(_values([{"budget": budget_ms}]))
        layers.append(limit.mark_rule(color=LOST, strokeDash=[4, 3]).encode(x="budget:Q"))
    return _spec(alt.layer(*layers), height=alt.Step(20))


def llr_chart(rows: Sequence[Row], bounds: tuple[float, float]) -> Spec:
    """LLR after each pair of a gate between its bounds: rows of ``pair``, ``llr``, ``against``."""
    line = (
        alt.Chart(_values(rows))
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X("pair:Q", title="pairs"),
            y=alt.Y("llr:Q", title="LLR"),
            color=alt.Color("against:N", scale=alt.Scale(range=PALETTE), title=None),
        )
    )
    limits = (
        alt.Chart(_values([{"bound": bound} for bound in bounds]))
        .mark_rule(color=INK, strokeDash=[4, 3])
        .encode(y="bound:Q")
    )
    return _spec(limits + line, height=220)


def _values(rows: Sequence[Row]) -> alt.Data:
    data: alt.Data = alt.InlineData(values=list(rows))
    return data


def _rounded(field: str, form: str = ".0f") -> alt.Tooltip:
    return alt.Tooltip(f"{field}:Q", format=form)


def _spec(chart: Any, *, height: object, width: object = "container") -> Spec:
    """The finished specification, with the page's colours and type."""
    made = chart.properties(height=height, width=width).configure(
        background="transparent",
        font=FONT,
        view=alt.ViewConfig(stroke=None),
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        axis=alt.AxisConfig(
            labelColor=INK,
            titleColor=INK,
            domainColor=FAINT,
            tickColor=FAINT,
            gridColor=FAINT,
            gridOpacity=0.6,
            labelFontSize=12,
            titleFontWeight="normal",
            labelLimit=220,
        ),
        legend=alt.LegendConfig(labelColor=INK, titleColor=INK, symbolOpacity=1, labelLimit=220),
    )
    spec: Spec = made.to_dict(validate=False)
    return spec
