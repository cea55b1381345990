"""Tables of a page: headings and cells, as the template's macro draws them."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.layout.cells import Cell, number

__all__ = ["Cell", "Heading", "Table", "headings", "number"]


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a column; columns of numbers are aligned right, only prose is wrapped."""

    name: str
    number: bool = False
    prose: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with a cell for each heading."""

    headings: Sequence[Heading]
    rows: Sequence[Sequence[Cell]]


def headings(*names: str) -> tuple[Heading, ...]:
    """Return headings; a name with ``#`` in front is of numbers, one with ``~`` of prose."""
    return tuple(
        Heading(name.lstrip("#~"), name.startswith("#"), name.startswith("~")) for name in names
    )
