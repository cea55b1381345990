"""Validation of names and texts from users, files and bots.

The name of a bot is an ASCII word, because it is used in commands, file names, tables and links.
Any other text, such as a note, is a line of characters that Unicode calls printable: it has no
control characters (so no terminal escape sequences), no marks that change the direction of writing,
no lone surrogates, and no space at either end. Older databases may hold other texts: see
`ladder.visible`.
"""

import fnmatch
from collections.abc import Iterable, Sequence

from db.records.bots import remedy_for
from ladder.errors import UnknownBot, UsageError
from ladder.visible import LINES

CONFIG = "ladder.toml"
"""The file with defaults of options, in the current folder."""
NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@+")
NOT_FIRST = "-."
"""First characters that are not allowed: ``-`` begins an option, ``.`` a hidden file."""
NAME_LIMIT = 100
TEXT_LIMIT = 10_000
SHOWN = 60
"""Most characters of a refused text that a message shows."""


def check_name(name: str, whose: str = "a bot's name") -> str:
    """Return a name if it is valid.

    Raises:
        UsageError: the name is not valid.

    """
    good = name and name[0] not in NOT_FIRST and NAME_CHARACTERS.issuperset(name)
    if not good or len(name) > NAME_LIMIT:
        raise UsageError(
            f"{whose} may have letters, digits and ._-@+, no space, no - or . at the beginning, "
            f"and at most {NAME_LIMIT} characters, got {_quote(name)}"
        )
    return name


def check_line(text: str, whose: str) -> str:
    """Return a text as one line, with each run of white space replaced by a space.

    Raises:
        UsageError: the text is too long or has a character that is not printable.

    """
    return check_text(" ".join(text.split()), whose)


def check_text(text: str, whose: str) -> str:
    """Return a text if it is printable, apart from line breaks and tabs.

    Raises:
        UsageError: the text is too long or has a character that is not printable.

    """
    if len(text) > TEXT_LIMIT:
        raise UsageError(f"{whose} may have at most {TEXT_LIMIT} characters, got {len(text)}")
    for character in text:
        if not character.isprintable() and character not in LINES:
            raise UsageError(
                f"{whose} must be printable text, got U+{ord(character):04X} in {_quote(text)}"
            )
    return text


def unknown_bot(name: str, known: Iterable[str], option: str | None = None) -> UnknownBot:
    """Return the error about a name that no registered bot has.

    Args:
        name: The name that the user gave.
        known: The names of the registered bots, of which similar ones are proposed.
        option: The option that holds the name, as a field name.

    """
    lacking = "matches" if set(name) & set("*?[") else "is called"
    problem = f"no registered bot {lacking} {name!r}: {remedy_for(name, known)}"
    return UnknownBot(problem, option=option)


def select_names(
    patterns: Iterable[str],
    names: Iterable[str],
    lacking: str = "",
    otherwise: str = "",
    option: str | None = "bots",
) -> list[str]:
    """Return the names that names and shell patterns select, each once, in the order of patterns.

    Args:
        patterns: Names or patterns.
        names: The names to choose from.
        lacking: The problem with other names, such as ``has no rated games``; "" if the names are
            those of all registered bots.
        otherwise: The remedy if there is no similar name to propose, unless `lacking` is empty.
        option: The option that holds the patterns, as a field name; None for arguments.

    Raises:
        UsageError: A pattern selects no name; `UnknownBot` if `lacking` is empty.

    """
    known = list(names)
    chosen: dict[str, None] = {}
    for pattern in map(str.strip, patterns):
        found = [name for name in known if fnmatch.fnmatchcase(name, pattern)]
        if not found and not lacking:
            raise unknown_bot(pattern, known, option)
        if not found:
            remedy = remedy_for(pattern, known, otherwise)
            raise UsageError(f"{pattern!r} {lacking}: {remedy}", option=option)
        chosen.update(dict.fromkeys(found))
    return list(chosen)


def _quote(text: str) -> str:
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "...")


def listed(names: Sequence[str], most: int) -> str:
    """Return the first names and the number of the others, such as ``a, b and 3 more``."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def counted(number: int, noun: str, *, form: str = "d") -> str:
    """Return a number with its noun, such as ``1 ply`` or ``12 plies``."""
    plural = "plies" if noun == "ply" else f"{noun}s"
    return f"{number:{form}} {noun if number == 1 else plural}"
