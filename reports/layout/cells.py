"""Cells of tables on pages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell."""

    text: str
    sort: float | None = None
    """The sort key; None to sort by the text."""
    title: str = ""
    """The tooltip."""
    href: str = ""
    verdict: str = ""
    """gained, undecided or lost: the cell's colour and sign."""


def number(value: float | None, form: str = ",.0f") -> Cell:
    """Return a cell with a number that sorts by its value, or a dash for None."""
    return Cell("-") if value is None else Cell(format(value, form), value)
