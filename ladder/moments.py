"""Durations, and past and future times, as users type them."""

import re
import time
from datetime import datetime, timedelta, tzinfo

from ladder.errors import UsageError

MOST_DAYS_AHEAD = 366
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([mhd])")
_SECONDS = {"m": 60, "h": 3600, "d": 86400}
_CLOCK_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")


def duration_s(text: str) -> float | None:
    """Return the seconds of ``30m``, ``2h`` or ``1.5d``; None for another text."""
    match = _DURATION.fullmatch(text.strip())
    return None if match is None else float(match[1]) * _SECONDS[match[2]]


def parse_since(text: str, *, zone: tzinfo | None = None, now: float | None = None) -> float:
    """Return the epoch seconds of an ISO date or time, or of ``30m``, ``12h`` or ``2d`` ago.

    Args:
        text: the date, time or duration.
        zone: the zone of a time without one; None for local time.
        now: the current time, in epoch seconds.

    Raises:
        UsageError: the text is neither.

    """
    if (ago := duration_s(text)) is not None:
        return (time.time() if now is None else now) - ago
    try:
        found = datetime.fromisoformat(text.strip())
        return (found if found.tzinfo else found.replace(tzinfo=zone)).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is neither a date such as 2026-11-20 or 2026-11-20T18:00, nor a time ago "
            "such as 12h",
            option="since",
        ) from None


def parse_until(text: str, *, now: datetime | None = None) -> float:
    """Return the epoch seconds of ``18:00``, of an ISO date or time, or of ``30m`` or ``2h`` ahead.

    Times without a zone are local; ``18:00`` is the next one.

    Raises:
        UsageError: the text has another form, or the time is over or more than a year ahead.

    """
    now = now or datetime.now()
    word = text.strip()
    if (ahead := duration_s(word)) is not None:
        until = now.timestamp() + ahead
    elif (match := _CLOCK_TIME.fullmatch(word)) is not None:
        then = now.replace(hour=int(match[1]), minute=int(match[2]), second=0, microsecond=0)
        until = (then if then > now else then + timedelta(days=1)).timestamp()
    else:
        try:
            until = datetime.fromisoformat(word).timestamp()
        except (ValueError, OverflowError):
            raise UsageError(
                f"{text!r} is not a time such as 18:00, 2026-11-20T18:00 or 2h from now",
                option="until",
            ) from None
    if not 0 < until - now.timestamp() <= MOST_DAYS_AHEAD * _SECONDS["d"]:
        raise UsageError(
            f"{text!r} is over, or more than a year ahead: give another time", option="until"
        )
    return until
