"""Results of runs as they are stored: JSON in which each bot is a reference to its revision.

Names are filled in when a result is shown, so that it has the present ones, also within sentences.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

REFERENCE = re.compile(r"\{(\d+)\}")
"""A reference within a text; no name of a bot has braces."""


def reference(number: int) -> str:
    """Return the reference to a revision by its id."""
    return f"{{{number}}}"


def fill_references(facts: Any, fill: Callable[[int], str]) -> Any:
    """Return plain data with each reference replaced by a text."""
    if isinstance(facts, str):
        return REFERENCE.sub(lambda found: fill(int(found[1])), facts)
    if isinstance(facts, dict):
        return {
            fill_references(key, fill): fill_references(value, fill) for key, value in facts.items()
        }
    if isinstance(facts, list | tuple):
        return [fill_references(each, fill) for each in facts]
    return facts


def references_in(facts: Any) -> list[int]:
    """Return the revisions that plain data refer to, in the order of their first references."""
    found = (int(number) for text in texts_in(facts) for number in REFERENCE.findall(text))
    return list(dict.fromkeys(found))


def texts_in(facts: Any) -> Iterator[str]:
    """Yield all texts of plain data, the keys of objects included."""
    if isinstance(facts, str):
        yield facts
    elif isinstance(facts, dict | list | tuple):
        for each in facts:
            yield from texts_in(each)
        if isinstance(facts, dict):
            yield from texts_in(list(facts.values()))
