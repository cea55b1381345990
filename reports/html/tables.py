"""Tables of a page: columns and cells, in the shape that the template's macro draws."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.layout.cells import Cell, number

__all__ = ["Cell", "Column", "Table", "columns", "number"]


@dataclass(frozen=True, slots=True)
class Column:
    """A head; numbers stand to the right, and only prose is broken into lines."""

    name: str
    number: bool = False
    prose: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of as many cells as there are columns."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


def columns(*names: str) -> tuple[Column, ...]:
    """Heads from their names; those that begin with ``#`` are of numbers, with ``~`` of prose."""
    return tuple(
        Column(name.lstrip("#~"), name.startswith("#"), name.startswith("~")) for name in names
    )
