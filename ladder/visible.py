"""Text of any origin on its way out: no character of it does anything to whoever shows it.

A character that Unicode does not count as printable, such as the beginning of a terminal's escape
sequence, a line break in a name or a mark that turns the direction of writing, is written as an
escape. What else a format gives a meaning to is escaped by the module of that format.
"""

import re

LINES = "\n\t"
"""Not printable, and harmless in a text of several lines."""
_UNSURE = re.compile(r"[^ -~]+")
_UNSURE_IN_LINES = re.compile(r"[^ -~\n\t]+")


def visible(text: str) -> str:
    """One line: an escape such as ``\\x1b`` for each character that is not printable."""
    return _UNSURE.sub(_escaped, text)


def visible_lines(text: str) -> str:
    """A text of several lines, whose line breaks and tabs stay."""
    return _UNSURE_IN_LINES.sub(_escaped, text)


def visible_json(text: str) -> str:
    """A JSON document that says the same with printable characters and line breaks only."""
    return _UNSURE_IN_LINES.sub(_escaped_in_json, text)


def _escaped(found: re.Match[str]) -> str:
    text = found[0]
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def _escaped_in_json(found: re.Match[str]) -> str:
    text = found[0]
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else _unit_escapes(character) for character in text
    )


def _unit_escapes(character: str) -> str:
    """A character of a JSON string as escapes of its one or two UTF-16 units."""
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))
