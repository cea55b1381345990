"""What all charts share: colours, fonts and configuration."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from reports.html.figures import Row, Spec

INK, FAINT, ACCENT = "var(--ink)", "var(--line)", "var(--accent)"
GAINED, UNDECIDED, LOST = "var(--gained)", "var(--undecided)", "var(--lost)"
FONT = "system-ui, 'DejaVu Sans', sans-serif"
"""A named font, as Vega measures labels with it."""
FULL_CELLS, NUMBERED_CELLS = 9, 16
"""Largest number of bots for which the cells of the heat map show all numbers, or the score."""
TICKS = alt.ExprRef("max(2, floor(width / 90))")
"""Ticks of an axis as the width of the chart allows."""
WHOLE = alt.Axis(
    tickMinStep=1, labelExpr="datum.value % 1 ? '' : format(datum.value, ',d')", labelOverlap=True
)
"""An axis of counts: Vega may still set ticks between them, which get no label."""
PALETTE = [f"var(--series-{number})" for number in range(1, 9)]


def values(rows: Sequence[Row]) -> alt.Data:
    """Return rows as inline data of a chart."""
    data: alt.Data = alt.InlineData(values=list(rows))
    return data


ROWS = "rows"
"""The name of the data that `with_rows` inserts."""


def named_rows() -> alt.Data:
    """Return the placeholder for data that `with_rows` inserts."""
    data: alt.Data = alt.NamedData(name=ROWS)
    return data


def with_rows(frame: Spec, rows: Sequence[Row], **changes: object) -> Spec:
    """Return a specification with its data.

    Altair needs some 30 ms of processor time to build a specification, too much for each update of
    a live page, so the specification is built once and only its data are replaced.

    Args:
        frame: a specification over `named_rows`; it is cached and shared, so it must not change.
        rows: the data.
        changes: other top-level properties, such as the height.

    """
    return {**frame, "datasets": {**frame.get("datasets", {}), ROWS: list(rows)}, **changes}


def height_of(rows: Sequence[Row], field: str, step: int) -> int:
    """Return the chart's height in pixels; Vega-Lite refuses steps beside a fitted width."""
    return step * len({row[field] for row in rows}) + 6


def rounded(field: str, form: str = ".0f") -> alt.Tooltip:
    """Return a tooltip with a rounded number."""
    return alt.Tooltip(f"{field}:Q", format=form)


def finished(chart: Any, *, height: object, width: object = "container") -> Spec:
    """Return the specification of a chart with the page's colours and fonts."""
    # Set here, as Vega first tries a value of the configuration as a fit of both sides.
    fitted = width == "container"
    size = alt.AutoSizeParams(type="fit-x" if fitted else "pad", contains="padding")
    made = chart.properties(height=height, width=width, padding=5, autosize=size).configure(
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
