"""Dates, lists of names and sentences on pages."""

from collections.abc import Collection
from datetime import UTC, datetime
from importlib.metadata import version

from ladder.names import counted
from reports.layout.format import day


def as_sentence(text: str, names: Collection[str] = ()) -> str:
    """Return a text with a capital first letter and a full stop.

    Names and hashes keep their first letter: a word in `names`, or one with other characters than
    letters.
    """
    first = text.partition(" ")[0]
    if first.isalpha() and first not in names:
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def games_in_time(games: int, seconds: float) -> str:
    """Return a number of games with their total playing time."""
    if seconds < 120:
        time = f"{seconds:.0f} s"
    else:
        time = f"{seconds / 60:,.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"
    return f"{counted(games, 'game', form=',d')}, {time} of playing time"


def footer() -> str:
    """Return the footer: the program that wrote the page, and when."""
    return (
        f"Written by ladder {version('connect4-ladder')} on {day(datetime.now(UTC).timestamp())}. "
        "This file needs no network."
    )
