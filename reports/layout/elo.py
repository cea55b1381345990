"""Elo in words: an estimate with its error, or only a bound after a shutout."""

import math
from typing import TYPE_CHECKING, Any

from ladder.stats.elo import EloEstimate
from reports.layout.format import rounded, values_of

if TYPE_CHECKING:
    from ladder.results.standings.comparison import BotDifference

MOST_UNLIKE = 0.1
"""Share of an error by which an end of the likelihood's interval may differ for `±`."""


def interval_values(estimate: "EloEstimate | BotDifference", *, digits: int = 2) -> dict[str, Any]:
    """Return an Elo estimate and the bounds of a shutout for a JSON document."""
    return {
        **values_of(estimate, "elo", "error95", digits=digits),
        "elo_at_least": rounded(estimate.at_least, digits),
        "elo_at_most": rounded(estimate.at_most, digits),
    }


def elo_words(estimate: EloEstimate, *, digits: int = 1) -> str:
    """Return Elo with half its 95 % interval, such as ``+12.3 ± 4.5``; a dash if unknown.

    A shutout gives a bound such as ``at least +484.1 (95 %)``, which has one digit at most. After
    few or one-sided games, whose likelihood gives another interval, its ends are shown.
    """
    if estimate.at_least is not None:
        return f"at least {estimate.at_least:+.1f} (95 %)"
    if estimate.at_most is not None:
        return f"at most {estimate.at_most:+.1f} (95 %)"
    if estimate.elo is None or estimate.error95 is None:
        return "-"
    low, high = estimate.low95, estimate.high95
    if low is not None and high is not None:
        error = estimate.error95
        unlike = max(abs(low - (estimate.elo - error)), abs(high - (estimate.elo + error)))
        if unlike > MOST_UNLIKE * error:
            return f"{estimate.elo:+z.{digits}f} ({low:+.0f} .. {high:+.0f})"
    return f"{estimate.elo:+z.{digits}f} ± {estimate.error95:.{digits}f}"


def los_words(estimate: EloEstimate, *, digits: int = 1) -> str:
    """Return the likelihood of superiority, or its bound after a shutout; a dash without games."""
    chance = estimate.sure_los
    if chance is None:
        return "-"
    whole = 10 ** (digits + 2)
    if estimate.score == 1.0:  # rounded down, as no shutout proves 100 %
        return f"at least {min(math.floor(chance * whole), whole - 1) / whole:.{digits}%}"
    if estimate.score == 0.0:
        return f"at most {max(math.ceil(chance * whole), 1) / whole:.{digits}%}"
    return chance_words(chance, digits=digits)


def chance_words(chance: float | None, *, digits: int = 1) -> str:
    """Return a chance in percent, but never 0 or 100 %, which no games prove; a dash for None."""
    least = 10.0 ** -(digits + 2)
    if chance is None:
        return "-"
    if chance > 1.0 - least / 2:
        return f"over {1.0 - least:.{digits}%}"
    return f"under {least:.{digits}%}" if chance < least / 2 else f"{chance:.{digits}%}"
