"""Dates and times in an address."""

from datetime import UTC, datetime

from ladder.web.errors import Refused


def parse_moment(text: str) -> float:
    """Parse a date or time into epoch seconds; without a zone it is UTC, as on pages.

    Raises:
        Refused: the text is not a date or time.

    """
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            found = found.replace(tzinfo=UTC)
        return found.timestamp()
    except (ValueError, OverflowError):
        raise Refused("since must be a date or time like 2026-11-20 or 2026-11-20T18:00") from None
