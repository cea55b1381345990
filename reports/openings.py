"""Output of `ladder openings make`."""

from collections.abc import Callable
from typing import Any

from engine.opening_set import OpeningSet
from ladder.names import counted
from ladder.openings.draw import DrawingProgress
from reports.layout.format import values_of
from reports.layout.progress import at_intervals


def made_document(file: str, known: OpeningSet, state: DrawingProgress) -> dict[str, Any]:
    """Return the document of `ladder openings make --json`."""
    return {
        "file": file,
        "openings": len(known),
        "hash": known.content_hash,
        **values_of(state, "tried", "by_search"),
    }


def made_text(known: OpeningSet, state: DrawingProgress) -> str:
    """Return the outcome in a line."""
    search = f"; {state.by_search} are balanced by search only" if state.by_search else ""
    return (
        f"{counted(len(known), 'opening')} ({known.content_hash[:12]}), chosen from "
        f"{counted(state.tried, 'different position')}{search}"
    )


def progress_lines(say: Callable[[str], None]) -> Callable[[DrawingProgress], None]:
    """Return a function that prints the progress every few seconds."""
    log = at_intervals(say)
    return lambda state: log(
        f"{state.found} of {state.count} openings, {state.tried} positions examined"
    )
