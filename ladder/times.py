"""Moments as a user writes them."""

import re
import time
from datetime import datetime

from ladder.errors import UsageError

_AGO = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([mhd])")
_SECONDS = {"m": 60, "h": 3600, "d": 86400}


def parse_since(text: str, *, now: float | None = None) -> float:
    """Seconds since the epoch from an ISO date or time, or from ``30m``, ``12h``, ``2d`` ago.

    Times without a zone are local.

    Raises:
        UsageError: the text is neither.

    """
    match = _AGO.fullmatch(text.strip())
    if match is not None:
        return (time.time() if now is None else now) - float(match[1]) * _SECONDS[match[2]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except ValueError:
        raise UsageError(
            "--since is a date or time such as 2026-11-20 or 2026-11-20T18:00, or a time ago such "
            f"as 12h, got {text!r}"
        ) from None
