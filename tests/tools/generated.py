"""Replacing the generated part of a page, which stands between two comments."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def with_generated(text: str, part: str, content: str) -> str:
    """Return a page with new content between the comments ``part: begin`` and ``part: end``."""
    begin, end = f"<!-- {part}: begin -->\n", f"<!-- {part}: end -->\n"
    before, rest = text.split(begin)
    return before + begin + content + rest[rest.index(end) :]
