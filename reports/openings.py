"""The words of `ladder openings make`."""

import time
from collections.abc import Callable
from typing import Any

from engine.opening_set import OpeningSet
from ladder.match.openings.draw import DrawingProgress

LOG_EVERY_S = 5.0


def made_document(file: str, known: OpeningSet, state: DrawingProgress) -> dict[str, Any]:
    """The document of `ladder openings make --json`."""
    return {
        "file": file,
        "openings": len(known),
        "hash": known.content_hash,
        "tried": state.tried,
        "by_search": state.by_search,
    }


def made_text(file: str, known: OpeningSet, state: DrawingProgress) -> str:
    """The outcome in a line."""
    search = f", {state.by_search} of them even by a search alone" if state.by_search else ""
    return (
        f"{len(known)} openings in {file} ({known.content_hash[:12]}), kept of {state.tried} "
        f"different positions{search}"
    )


def progress_lines(say: Callable[[str], None]) -> Callable[[DrawingProgress], None]:
    """A line every few seconds."""
    last = time.monotonic()

    def tick(state: DrawingProgress) -> None:
        nonlocal last
        if time.monotonic() - last >= LOG_EVERY_S:
            last = time.monotonic()
            say(f"{state.found} of {state.count} openings, {state.tried} positions looked at")

    return tick
