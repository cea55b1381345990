"""Tables of a page: columns and cells, in the shape that the template's macro draws."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A head; numbers stand to the right, and only prose is broken into lines."""

    name: str
    number: bool = False
    prose: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry."""

    text: str
    sort: float | None = None
    """The key that the column is sorted by; None: its text."""
    title: str = ""
    """The words for a pointer that rests on it."""
    href: str = ""
    verdict: str = ""
    """gained, undecided or lost: its colour and sign."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of as many cells as there are columns."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


def number(value: float | None, form: str = ",.0f") -> Cell:
    """A number that sorts as one; a dash where there is none."""
    return Cell("-") if value is None else Cell(format(value, form), value)


def columns(*names: str) -> tuple[Column, ...]:
    """Heads from their names; those that begin with ``#`` are of numbers, with ``~`` of prose."""
    return tuple(
        Column(name.lstrip("#~"), name.startswith("#"), name.startswith("~")) for name in names
    )
