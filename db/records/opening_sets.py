"""Records of sets of openings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OpeningSetRow:
    """A stored set of openings."""

    content_hash: str
    """32 hex digits."""
    name: str
    """Name of the file that it was read from."""
    lines: str
    """Sorted openings, one per line, such as ``6x7 3342``."""
