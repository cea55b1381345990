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
FULL_CELLS, NUMBERED_CELLS = 9, 16
"""With so many bots each cell of the heat map holds all numbers, or the score."""
DASHES = [[1, 0], [6, 3], [2, 2]]
"""Of lines that share a colour."""
PALETTE = [f"var(--series-{number})" for number in range(1, 9)]


def rating_chart(rows: Sequence[Row]) -> Spec:
    """A dot and a 95 % whisker per bot, best on top.

    Rows have ``bot``, ``elo``, ``error``, ``low``, ``high``, ``label``, ``games``, ``wins``,
    ``draws``, ``losses``, ``anchored``.
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
    numbers = base.mark_text(align="left", dx=8, color=INK, fontSize=12).encode(
        x=alt.value("width"), text="label:N"
    )
    return _spec(whiskers + dots + numbers, height=_height(rows, "bot", 22), right=90)


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
            legend=alt.Legend(title=None, orient="top"),
        ),
        tooltip=["bot:N", "based_on:N", _rounded("elo"), _rounded("low"), _rounded("high")],
    )
    return _spec(zero + bars + whiskers + points, height=_height(rows, "label", 22))


def history_chart(rows: Sequence[Row], order: Sequence[str]) -> Spec:
    """Ratings with their bands against the games played, named in this order.

    Rows have ``bot``, ``games``, ``elo``, ``low``, ``high``.
    """
    colour = alt.Color(
        "bot:N",
        sort=list(order),
        scale=alt.Scale(
            domain=list(order),
            range=[PALETTE[place % len(PALETTE)] for place in range(len(order))],
        ),
        legend=alt.Legend(title=None),
    )
    chosen = alt.selection_point(fields=["bot"], bind="legend")
    dashes = alt.StrokeDash(
        "bot:N",
        sort=list(order),
        scale=alt.Scale(
            domain=list(order),
            range=[DASHES[place // len(PALETTE) % len(DASHES)] for place in range(len(order))],
        ),
        legend=alt.Legend(title=None),
    )
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
        strokeDash=dashes,
        opacity=alt.condition(chosen, alt.value(1), alt.value(0.12)),
        tooltip=["bot:N", "games:Q", _rounded("elo"), _rounded("low"), _rounded("high")],
    )
    return _spec((band + line).add_params(chosen), height=320)


def date_chart(rows: Sequence[Row]) -> Spec:
    """Ratings in the order of dates, each bot with its own place: most come in groups.

    Rows have ``bot``, ``day``, ``place`` (name and date), ``of``, ``elo``, ``low``, ``high``.
    """
    base = alt.Chart(_values(rows)).encode(
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
        y="elo:Q", tooltip=["bot:N", "of:N", "day:N", _rounded("elo")]
    )
    return _spec(whiskers + dots, height=220, width=alt.Step(64))


def heat_map(rows: Sequence[Row], order: Sequence[str]) -> Spec:
    """Scores of the row's bot against the column's, with residuals from the rating list.

    Rows have ``a``, ``b``, ``score``, ``label``, ``interval``, ``wdl``, ``games``, ``error``,
    ``z``, ``residual``, ``surprise``. With few bots each cell holds all of it; with more the score
    and the residuals that surprise; with many it is coloured and framed only.
    """
    base = alt.Chart(_values(rows)).encode(
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
            alt.Tooltip("wdl:N", title="win-draw-loss"),
            alt.Tooltip("error:Q", format=".1%", title="+- (95 %)"),
            alt.Tooltip("z:Q", format="+.1f", title="residual in standard errors"),
        ],
    )
    surprising = base.transform_filter("datum.surprise")
    frames = surprising.mark_rect(filled=False, stroke=INK, strokeWidth=2, tooltip=None)
    layers = [cells]
    surprises = any(row["surprise"] for row in rows)
    if surprises:  # an empty layer has no name, which screen readers would miss
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
        return _spec(alt.layer(*layers), height=alt.Step(52), width=alt.Step(94))
    if len(order) <= NUMBERED_CELLS:
        layers.append(written("label", -6, 11))
        if surprises:
            layers.append(written("residual", 8, 10, surprising))
        return _spec(alt.layer(*layers), height=alt.Step(34), width=alt.Step(52))
    return _spec(alt.layer(*layers), height=alt.Step(20), width=alt.Step(20))


def mistakes_map(rows: Sequence[Row], order: Sequence[str]) -> Spec:
    """Mistakes per 100 decisions, a row a bot and a column a range of plies left.

    Rows have ``bot``, ``left``, ``first`` (its order), ``rate``, ``label``, ``decisions``,
    ``mistakes``, ``unknown``.
    """
    base = alt.Chart(_values(rows)).encode(
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
    return _spec(alt.layer(cells, numbers), height=alt.Step(24), width=alt.Step(58))


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
        height=_height(rows, "bot", 20),
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
    return _spec(alt.layer(*layers), height=_height(rows, "bot", 20))


def cpu_chart(rows: Sequence[Row]) -> Spec:
    """Mean processor and wall time of a move: rows of ``bot``, ``clock``, ``ms``, ``share``."""
    base = alt.Chart(_values(rows)).encode(
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
        tooltip=["bot:N", "clock:N", _rounded("ms", ".1f"), alt.Tooltip("share:Q", format=".0%")],
    )
    return _spec(bars, height=_height(rows, "bot", 26))


def llr_chart(rows: Sequence[Row], bounds: tuple[float, float]) -> Spec:
    """LLR of a gate against its counted pairs, between its bounds.

    Rows have ``pair``, ``llr``, ``against``.
    """
    line = (
        alt.Chart(_values(rows))
        .mark_line(strokeWidth=2, interpolate="step-after")
        .encode(
            x=alt.X("pair:Q", title="pairs", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("llr:Q", title="LLR"),
            color=alt.Color(
                "against:N",
                scale=alt.Scale(range=PALETTE),
                legend=alt.Legend(title="against", orient="top")
                if len({row["against"] for row in rows}) > 1
                else None,
            ),
            tooltip=["against:N", "pair:Q", _rounded("llr", ".2f")],
        )
    )
    ends = [
        {"bound": bounds[0], "says": f"regression below {bounds[0]:.2f}", "verdict": "lost"},
        {"bound": bounds[1], "says": f"passed above {bounds[1]:.2f}", "verdict": "gained"},
    ]
    limits = alt.Chart(_values(ends)).encode(
        y="bound:Q",
        stroke=alt.Stroke(
            "verdict:N",
            scale=alt.Scale(domain=["gained", "lost"], range=[GAINED, LOST]),
            legend=None,
        ),
    )
    rules = limits.mark_rule(strokeDash=[6, 4], strokeWidth=1.5)
    # A plain number has no scale: the words stand at the left edge, whatever the pairs.
    words = (
        alt.Chart(_values(ends))
        .mark_text(align="left", dy=-7, dx=4, color=INK, fontSize=12)
        .encode(y="bound:Q", x=alt.value(0), text="says:N")
    )
    return _spec(alt.layer(rules, line, words), height=240)


def pentanomial_chart(rows: Sequence[Row]) -> Spec:
    """Pairs by the candidate's points in them: rows of ``points``, ``pairs``, ``against``."""
    many = len({row["against"] for row in rows}) > 1
    base = alt.Chart(_values(rows)).encode(
        x=alt.X("points:N", sort=None, title="points of a pair", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("pairs:Q", title="pairs", axis=alt.Axis(tickMinStep=1)),
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
    return _spec(bars + counts, height=180, width=step)


def _height(rows: Sequence[Row], field: str, step: int) -> int:
    """Pixels for a row of marks per value: Vega-Lite warns of steps beside a fitted width."""
    return step * len({row[field] for row in rows}) + 6


def _values(rows: Sequence[Row]) -> alt.Data:
    data: alt.Data = alt.InlineData(values=list(rows))
    return data


def _rounded(field: str, form: str = ".0f") -> alt.Tooltip:
    return alt.Tooltip(f"{field}:Q", format=form)


def _spec(chart: Any, *, height: object, width: object = "container", right: int = 5) -> Spec:
    """The finished specification, with the page's colours and type.

    `right` leaves room for words beside the plot, in pixels.
    """
    # In the specification itself: one from the configuration is tried as a fit of both sides first.
    fitted = width == "container"
    size = alt.AutoSizeParams(type="fit-x" if fitted else "pad", contains="padding")
    padding = {"left": 5, "top": 5, "bottom": 5, "right": right}
    made = chart.properties(height=height, width=width, padding=padding, autosize=size).configure(
        background="transparent",
        font=FONT,
        view=alt.ViewConfig(stroke=None),
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
            labelFlush=False,
        ),
        axisQuantitative=alt.AxisConfig(tickCount=8),
        legend=alt.LegendConfig(
            labelColor=INK, titleColor=INK, symbolOpacity=1, labelLimit=220, labelFontSize=12
        ),
    )
    spec: Spec = made.to_dict(validate=False)
    return spec
