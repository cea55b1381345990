"""Lost steps along the line of versions, as text and as JSON."""

from collections.abc import Sequence
from typing import Any

from ladder.results.standings.lineage import Step


def regressions_document(lost: Sequence[Step]) -> dict[str, Any]:
    """The document of `ladder report --regressions --json`; docs/json.md describes every key."""
    return {
        "regressions": [
            {
                "bot": step.bot,
                "based_on": step.based_on,
                "elo": round(step.elo, 1),
                "error95": round(step.error95, 1),
                "games": step.games,
            }
            for step in lost
        ]
    }


def regressions_text(lost: Sequence[Step], threshold: float) -> str:
    """A line for each lost step, or the sentence that there is none."""
    allowed = f" more than {threshold:g} Elo" if threshold else ""
    if not lost:
        return f"no version lost{allowed} against the one that it is based on"
    return "\n".join(
        f"{step.bot} lost against {step.based_on}: {step.elo:+.0f} +- {step.error95:.0f} Elo "
        f"({step.games} games)"
        for step in lost
    )
