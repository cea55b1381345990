"""Cells of the tables of a page."""

from dataclasses import dataclass


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


def number(value: float | None, form: str = ",.0f") -> Cell:
    """Return a number that sorts as one, or a dash for None."""
    return Cell("-") if value is None else Cell(format(value, form), value)
