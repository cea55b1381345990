"""The colours, the type and the last touch that all charts share."""

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
PALETTE = [f"var(--series-{number})" for number in range(1, 9)]


def values(rows: Sequence[Row]) -> alt.Data:
    """Rows as the data of a chart, inside of its specification."""
    data: alt.Data = alt.InlineData(values=list(rows))
    return data


ROWS = "rows"
"""The name under which a frame leaves room for its data."""


def named_rows() -> alt.Data:
    """Return the data of a frame: `with_rows` puts them in."""
    data: alt.Data = alt.NamedData(name=ROWS)
    return data


def with_rows(frame: Spec, rows: Sequence[Row], **changes: object) -> Spec:
    """Return a finished frame with its data.

    Altair takes some 30 ms of processor time to build a specification, too much for a page that
    follows a run: a frame is built once, and only its data are other ones each time.

    Args:
        frame: of a chart over `named_rows`; shared by all charts of its kind, so never changed.
        rows: the data.
        changes: other properties at the top of the specification, such as the height.

    """
    return {**frame, "datasets": {**frame.get("datasets", {}), ROWS: list(rows)}, **changes}


def height_of(rows: Sequence[Row], field: str, step: int) -> int:
    """Pixels for a row of marks per value: Vega-Lite warns of steps beside a fitted width."""
    return step * len({row[field] for row in rows}) + 6


def rounded(field: str, form: str = ".0f") -> alt.Tooltip:
    """Return a number of a row as a pointer that rests on its mark is told it."""
    return alt.Tooltip(f"{field}:Q", format=form)


def finished(chart: Any, *, height: object, width: object = "container") -> Spec:
    """Return the finished specification, with the page's colours and type."""
    # In the specification itself: one from the configuration is tried as a fit of both sides first.
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
