"""Charts of a page, each with its table."""

from collections.abc import Iterable
from dataclasses import dataclass

from reports.html.charts import Spec
from reports.layout.fields import Table


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
