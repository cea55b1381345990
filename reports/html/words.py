"""Small words of a page: dates and lists of names."""

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version


def day(moment: float) -> str:
    """Return a moment (epoch seconds) as date and time of day."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M} UTC"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def games_in_time(games: int, seconds: float) -> str:
    """Return the cost of games that were played one after the other."""
    if seconds < 120:
        time = f"{seconds:.0f} s"
    else:
        time = f"{seconds / 60:,.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"
    return f"{games:,} games, {time} of play"


def footer() -> str:
    """Return the program that wrote a page, and the time."""
    return (
        f"Written by ladder {version('connect4-ladder')} on {day(datetime.now(UTC).timestamp())}. "
        "The file needs no network and holds everything that it shows."
    )
