"""Small words of a page: dates and lists of names."""

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version


def day(moment: float) -> str:
    """A moment (epoch seconds) as date and time of day."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M} UTC"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def footer() -> str:
    """The program that wrote a page, and the time."""
    return (
        f"Written by ladder {version('connect4-ladder')} on {day(datetime.now(UTC).timestamp())}. "
        "The file needs no network and holds everything that it shows."
    )
