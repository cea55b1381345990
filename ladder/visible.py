"""Escaping of text for output, so that no character controls a terminal or a page.

A character that Unicode does not call printable, such as the start of a terminal's escape sequence,
a line break in a name or a mark that changes the direction of writing, is replaced by an escape.
Characters with a meaning in one format only are escaped by the module of that format.
"""

import re
from collections.abc import Callable

LINES = "\n\t"
"""Characters that are not printable but harmless in a text of several lines."""
_UNSURE = re.compile(r"[^ -~]+")
_HARMLESS = bytes(range(ord(" "), ord("~") + 1)) + LINES.encode()
_UNSURE_IN_LINES = re.compile(r"[^ -~\n\t]+")


def visible(text: str) -> str:
    """Replace each character that is not printable by an escape such as ``\\x1b``."""
    return _UNSURE.sub(_escaped, text)


def visible_lines(text: str) -> str:
    """Replace like `visible`, but keep line breaks and tabs."""
    if text.isascii() and not text.encode().translate(None, _HARMLESS):
        return text  # ten times as fast as the expression
    return _UNSURE_IN_LINES.sub(_escaped, text)


def visible_json(text: str) -> str:
    """Return an equal JSON document of printable characters, line breaks and tabs only."""
    return _UNSURE_IN_LINES.sub(lambda found: _escaped(found, _unit_escapes), text)


def _text_escape(character: str) -> str:
    return character.encode("unicode_escape").decode()


def _unit_escapes(character: str) -> str:
    """Return the JSON escapes of a character: one for each of its one or two UTF-16 units."""
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))


def _escaped(found: re.Match[str], escape: Callable[[str], str] = _text_escape) -> str:
    text = found[0]
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else escape(character) for character in text
    )
