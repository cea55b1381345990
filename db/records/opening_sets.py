"""Sets of openings, on their way into the store and out of it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OpeningSetRow:
    """A set of openings as it is stored."""

    content_hash: str
    """32 hex digits."""
    name: str
    """Of the file that it was read from."""
    lines: str
    """One opening a line, such as ``6x7 3342``, sorted."""
