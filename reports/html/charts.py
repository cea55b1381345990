"""Charts of a page as Vega-Lite specifications.

Colours are custom properties of the page, so a chart changes with light, dark and print without a
redraw. The colours of gained, undecided and lost also differ in lightness (Okabe and Ito 2008), and
every mark shows its verdict by a shape or a word, too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from reports.layout.fields import Table

Spec = dict[str, Any]
"""A Vega-Lite specification."""
Row = dict[str, Any]
"""The values of one mark, by field."""

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
INK, FAINT, ACCENT = "var(--ink)", "var(--line)", "var(--accent)"
GAINED, UNDECIDED, LOST = "var(--gained)", "var(--undecided)", "var(--lost)"
VERDICTS = {
    "gained": (GAINED, "circle"),
    "undecided": (UNDECIDED, "diamond"),
    "lost": (LOST, "triangle-down"),
    "rated": (ACCENT, "circle"),
    "fixed": (ACCENT, "diamond"),
}
"""The colour and the shape of each verdict."""
PALETTE = [f"var(--series-{number})" for number in range(1, 9)]
NUMBERED_CELLS = 16
"""Largest number of bots for which the cells of the heat map show the score."""
WHOLE = {
    "tickMinStep": 1,
    "labelExpr": "datum.value % 1 ? '' : format(datum.value, ',d')",
    "labelOverlap": True,
}
"""An axis of counts: Vega may still set ticks between them, which get no label."""
CONFIG = {
    "background": "transparent",
    # A named font, as Vega measures labels with it.
    "font": "system-ui, 'DejaVu Sans', sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "domainColor": FAINT,
        "tickColor": FAINT,
        "gridColor": FAINT,
        "gridOpacity": 0.6,
        "labelFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 220,
        "labelFlush": False,
    },
    "axisQuantitative": {"tickCount": 8},
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "symbolOpacity": 1,
        "labelLimit": 220,
        "labelFontSize": 12,
    },
}


class Axis(NamedTuple):
    """An axis of numbers."""

    field: str
    title: str
    form: str = ".0f"
    """The format of its numbers in tooltips."""
    scale: dict[str, Any] | None = None


def _number(field: str, **more: object) -> Spec:
    return {"field": field, "type": "quantitative", **more}


def _word(field: str, **more: object) -> Spec:
    return {"field": field, "type": "nominal", **more}


def _tips(words: Sequence[str], numbers: Sequence[str], form: str = ".0f") -> list[Spec]:
    """Return what a tooltip shows: words, and numbers in a format."""
    return [*map(_word, words), *(_number(field, format=form) for field in numbers)]


def _layer(mark: str | Spec, rows: Sequence[Row] | None = None, /, **encoding: object) -> Spec:
    """Return a layer, over rows of its own or over those of the chart."""
    layer = {"mark": mark, "encoding": encoding}
    return layer if rows is None else {"data": {"values": list(rows)}, **layer}


def _chart(
    rows: Sequence[Row], layers: Sequence[Spec], *, height: object, width: object = "container"
) -> Spec:
    """Return the specification of a chart with the page's colours and fonts."""
    # Set here, as Vega first tries a value of the configuration as a fit of both sides.
    fit = "fit-x" if width == "container" else "pad"
    return {
        "$schema": SCHEMA,
        "data": {"values": list(rows)},
        "layer": list(layers),
        "height": height,
        "width": width,
        "padding": 5,
        "autosize": {"type": fit, "contains": "padding"},
        "config": CONFIG,
    }


def _rule(value: float, words: str = "", colour: str = INK) -> list[Spec]:
    """Return a dashed line across a chart, with words on its side of smaller numbers."""
    row = [{"value": value, "label": words}]
    y = _number("value")
    dashed = {"type": "rule", "color": colour, "strokeDash": [6, 4], "strokeWidth": 1.5}
    layers = [_layer(dashed, row, y=y)]
    if words:
        text = {
            "type": "text",
            "align": "left",
            "baseline": "top" if value > 0 else "bottom",
            "dx": 4,
            "dy": 6 if value > 0 else -6,
            "fontSize": 12,
        }
        halo = {"stroke": "var(--page)", "strokeWidth": 4}  # covers the grid
        # A constant has no scale: the label stays at the left edge.
        place = {"x": {"value": 0}, "y": y, "text": _word("label")}
        layers += [_layer({**text, **each}, row, **place) for each in (halo, {"color": INK})]
    return layers


OPEN_ENDS = {"\u2190": -12, "\u2192": 12}
"""The arrows of bounds, by the pixels from the dot to them."""
NAMES = _word("name", sort=None, title=None)
"""A row for each name, in the order of the rows."""


def interval_chart(rows: Sequence[Row], title: str, *, tips: Sequence[str] = ()) -> Spec:
    """Return a chart of a dot with its 95 % interval per row, in the order of the rows.

    Rows have ``name``, ``elo``, ``low``, ``high``, ``arrow``, ``label``, ``verdict`` (of
    `VERDICTS`) and the further fields that tooltips show.
    """
    axis = {"tickCount": {"expr": "max(2, floor(width / 90))"}, "labelOverlap": True}
    scale = {"zero": False, "padding": 12}
    x = {"title": title, "scale": scale, "axis": axis}
    colours, shapes = zip(*VERDICTS.values(), strict=True)
    of = {"domain": list(VERDICTS)}
    dots = _layer(
        {"type": "point", "filled": True, "size": 70, "opacity": 1},
        y=NAMES,
        x=_number("elo", **x),
        color=_word("verdict", legend=None, scale={**of, "range": colours}),
        shape=_word("verdict", legend=None, scale={**of, "range": shapes}),
        tooltip=_tips(["name"], ["elo", "low", "high", *tips]),
    )
    whiskers = {"type": "rule", "color": INK, "strokeWidth": 1.5}
    arrows = [
        _layer(
            {"type": "text", "dx": away, "color": INK, "fontSize": 14},
            bounds,
            y=NAMES,
            x=_number("elo", **x),
            text=_word("arrow"),
        )
        for arrow, away in OPEN_ENDS.items()
        if (bounds := [row for row in rows if row["arrow"] == arrow])
    ]
    return _chart(
        rows,
        [
            _layer(whiskers, y=NAMES, x=_number("low", **x), x2={"field": "high"}),
            dots,
            *arrows,
            _layer(
                {"type": "text", "align": "left", "dx": 8, "color": INK, "fontSize": 12},
                y=NAMES,
                x={"value": "width"},
                text=_word("label"),
            ),
        ],
        height=22 * len(rows) + 6,  # Vega-Lite refuses steps beside a fitted width
    )


def commit_chart(rows: Sequence[Row]) -> Spec:
    """Return a chart of ratings with 95 % intervals over commits, in the order of the rows.

    Rows have ``name``, ``subject``, ``elo``, ``low``, ``high``, ``tag``, ``verdict`` (of
    `VERDICTS`), and ``href``, where a click leads.
    """
    across = _word("name", sort=None, title="commit", axis={"labelAngle": -45})
    scale = {"zero": False, "padding": 16}
    y = {"title": "Elo", "scale": scale}
    colours, shapes = zip(*VERDICTS.values(), strict=True)
    of = {"domain": list(VERDICTS), "range": colours}
    tips = [*_tips(["name", "subject", "verdict"], ["elo", "low", "high"])]
    place = {"x": across, "y": _number("elo", **y)}
    point = {"type": "point", "filled": True, "size": 90, "opacity": 1}
    linked = {"href": _word("href")} if any(row["href"] for row in rows) else {}
    tag = {"type": "text", "color": INK, "fontSize": 12, "baseline": "bottom", "dy": -5}
    tagged = [row for row in rows if row["tag"]]
    layers = [
        _layer({"type": "line", "color": FAINT, "strokeWidth": 1.5}, **place),
        _layer(
            {"type": "rule", "color": INK, "strokeWidth": 1.5},
            x=across,
            y=_number("low", **y),
            y2={"field": "high"},
        ),
        _layer(
            {**point, "cursor": "pointer"} if linked else point,
            **place,
            **linked,
            color=_word("verdict", legend=None, scale=of),
            shape=_word("verdict", legend=None, scale={**of, "range": shapes}),
            tooltip=tips,
        ),
    ]
    if tagged:
        layers.append(_layer(tag, tagged, x=across, y=_number("high", **y), text=_word("tag")))
    return _chart(rows, layers, height=280)


def line_chart(
    rows: Sequence[Row],
    x: Axis,
    y: Axis,
    *,
    order: Sequence[str] = (),
    is_stepped: bool = False,
    bounds: Sequence[tuple[float, str, str]] = (),
    height: int = 240,
) -> Spec:
    """Return a chart of a line per name, with a band where rows have ``low`` and ``high``.

    Args:
        rows: with ``name`` and the fields of the axes.
        x: the axis of counts.
        y: the axis of values.
        order: the names in the legend's order, no more than there are colours in `PALETTE`.
        is_stepped: whether the line keeps its value until the next row.
        bounds: dashed lines: value, words and colour.
        height: in pixels.

    """
    names = list(order) or list(dict.fromkeys(row["name"] for row in rows))
    symbol = {"title": None, "symbolType": "stroke", "symbolStrokeWidth": 3}
    colour = _word(
        "name",
        sort=names,
        scale={"domain": names, "range": PALETTE[: len(names)] if len(names) > 1 else [ACCENT]},
        legend=symbol if len(names) > 1 else None,
    )
    across = _number(x.field, title=x.title, axis=WHOLE)
    scale = y.scale or {"zero": False}
    titled = {"title": y.title, "scale": scale}

    def shaded(chosen: float, other: float) -> Spec:
        return {"condition": {"param": "chosen", "value": chosen}, "value": other}

    line = {"type": "line", "strokeWidth": 2}
    layers = [
        _layer(
            {**line, "interpolate": "step-after"} if is_stepped else line,
            x=across,
            y=_number(y.field, **titled),
            color=colour,
            opacity=shaded(1, 0.12),
            tooltip=[
                _word("name"),
                _number(x.field),
                *_tips([], [y.field], y.form),
                *_tips([], [key for key in ("low", "high") if key in rows[0]], y.form),
            ],
        )
    ]
    if "low" in rows[0]:
        ends = {"y": _number("low", **titled), "y2": {"field": "high"}}
        layers.insert(0, _layer("area", x=across, **ends, color=colour, opacity=shaded(0.18, 0.02)))
    select = {"type": "point", "fields": ["name"]}
    layers[0]["params"] = [{"name": "chosen", "select": select, "bind": "legend"}]
    return _chart(rows, [*layers, *(each for one in bounds for each in _rule(*one))], height=height)


def heat_map(rows: Sequence[Row], order: Sequence[str]) -> Spec:
    """Return a heat map of the row's bot against the column's, with surprising results framed.

    Rows have ``a``, ``b``, ``score``, ``label``, ``wdl``, ``games``, ``z``, ``surprise``.
    """
    axis = {"labelAngle": -45, "orient": "top"}
    places = {
        "x": _word("b", sort=list(order), title="against", axis=axis),
        "y": _word("a", sort=list(order), title=None),
    }
    tips = [
        *_tips(["a", "b"], ["games"]),
        *_tips([], ["score"], ".1%"),
        _word("wdl", title="won-drawn-lost"),
        _number("z", format="+.1f", title="residual in standard errors"),
    ]
    colours = {"domain": [0, 0.5, 1], "range": ["#b2560d", "#f3f1ec", "#2166ac"]}
    colours["interpolate"] = "lab"
    legend = {"orient": "bottom", "gradientLength": 160, "format": ".0%"}
    cells = _layer(
        {"type": "rect", "stroke": "var(--page)", "strokeWidth": 1},
        **places,
        color=_number("score", title="score", scale=colours, legend=legend),
        tooltip=tips,
    )
    layers = [cells]
    # Screen readers would announce an empty layer without a name.
    if any(row["surprise"] for row in rows):
        frame = {"type": "rect", "filled": False, "stroke": INK, "strokeWidth": 2, "tooltip": None}
        surprising = {"transform": [{"filter": "datum.surprise"}]}
        layers.append({**_layer(frame, **places), **surprising})
    is_numbered = len(order) <= NUMBERED_CELLS
    if is_numbered:
        dark = {"test": "datum.score < 0.06 || datum.score > 0.92", "value": "#ffffff"}
        text = {"type": "text", "fontSize": 12, "tooltip": None}
        ink = {"condition": dark, "value": "#1b1b1b"}
        layers.append(_layer(text, **places, text=_word("label"), color=ink))
    steps = (30, 52) if is_numbered else (20, 20)
    return _chart(rows, layers, height={"step": steps[0]}, width={"step": steps[1]})


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart and its table."""

    name: str
    """The name of the chart; its element has the id ``chart-NAME``."""
    label: str
    """A description of the chart for screen readers."""
    caption: str
    """The heading, and the caption of the table."""
    table: Table | None = None
    """None if another table has the numbers."""
    spec: Spec | None = None
    """The chart; None if there are no data."""
    is_open: bool = False
    """Whether the table is shown without a click."""
    is_wide: bool = False
    """Whether the chart keeps its own width and can be scrolled."""


def specs_of(figures: Iterable[Figure]) -> dict[str, Spec]:
    """Return the charts of figures by name."""
    return {figure.name: figure.spec for figure in figures if figure.spec is not None}
