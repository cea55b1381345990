"""Moments as people write them in an address."""

from datetime import UTC, datetime

from ladder.web.errors import Refused


def moment_of(text: str) -> float:
    """Seconds since the epoch from a date or time; one without a zone is UTC, as pages show it.

    Raises:
        Refused: it is none.

    """
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            found = found.replace(tzinfo=UTC)
        return found.timestamp()
    except (ValueError, OverflowError):
        raise Refused("since is a date or time such as 2026-11-20 or 2026-11-20T18:00") from None
