"""Versions that lost rating against their predecessor, as text, CSV and JSON."""

from typing import Any

from ladder.names import counted
from ladder.results.standings.lineage import Regressions, Step
from reports.layout.format import csv_text, values_of


def regressions_document(found: Regressions) -> dict[str, Any]:
    """Return the document of `ladder report --regressions --json`."""
    return {
        "regressions": [_step_document(step) for step in found.lost],
        "undecided": [
            {**_step_document(step), "los": round(step.los, 4)} for step in found.undecided
        ],
    }


def _step_document(step: Step) -> dict[str, Any]:
    return {
        **values_of(step, "bot", "based_on"),
        **values_of(step, "elo", "error95", digits=1),
        "games": step.games,
    }


def regressions_csv(found: Regressions) -> str:
    """Return the steps as comma-separated values; `state` is lost or undecided."""
    columns = ("bot", "based_on", "elo", "error95", "games")
    rows = [
        (*(_step_document(step)[name] for name in columns), state)
        for state, steps in (("lost", found.lost), ("undecided", found.undecided))
        for step in steps
    ]
    return csv_text((*columns, "state"), rows)


def regressions_text(found: Regressions, threshold: float) -> str:
    """Return a line for each lost step, then one for each undecided step."""
    allowed = f" more than {threshold:g} Elo" if threshold else ""
    lines = [f"{step.bot} lost against {step.based_on}: {_elo(step)}" for step in found.lost]
    if not lines:
        lines.append(
            f"no version has lost{allowed} against the version it is based on, as far as is known"
        )
    if found.undecided:
        lines.append(f"undecided, may have lost{allowed}:")
    lines += [
        f"  {step.bot} against {step.based_on}: {_elo(step)}, chance to be better {step.los:.0%}"
        for step in found.undecided
    ]
    return "\n".join(lines)


def _elo(step: Step) -> str:
    return f"{step.elo:+.0f} ± {step.error95:.0f} Elo ({counted(step.games, 'game')})"
