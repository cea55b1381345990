"""The rule for names and texts that come in, from a person, a file or a bot.

A name of a bot is a word of ASCII: it stands in commands, files' names, tables and links. Any other
text, such as a note, is one line of characters that Unicode counts as printable: no control
characters, so no escape sequences of terminals; no marks that turn the direction of writing; no
lone surrogates; no space at either end. Older databases may hold others: see `ladder.visible`.
"""

import fnmatch
from collections.abc import Iterable

from db.records.bots import remedy_for
from ladder.errors import UnknownBot, UsageError
from ladder.visible import LINES

CONFIG = "ladder.toml"
"""The file of the options' defaults, in the folder in which a command is given."""
NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@+")
NOT_FIRST = "-."
"""A word that begins with a dash would be an option, and with a dot a hidden file."""
NAME_LIMIT = 100
TEXT_LIMIT = 10_000
SHOWN = 60
"""Characters of a refused text that the message shows."""


def check_name(name: str, whose: str = "a bot's name") -> str:
    """The name itself, when it is one.

    Raises:
        UsageError: it is none; the message shows it without any character that is not printable.

    """
    good = name and name[0] not in NOT_FIRST and NAME_CHARACTERS.issuperset(name)
    if not good or len(name) > NAME_LIMIT:
        raise UsageError(
            f"{whose} is letters, digits and ._-@+ without spaces, does not begin with - or ., and "
            f"has at most {NAME_LIMIT} characters, got {_shown(name)}"
        )
    return name


def check_line(text: str, whose: str) -> str:
    """A text as one line: every run of white space becomes a space, those at the ends go.

    Raises:
        UsageError: a character is not printable, or there are too many.

    """
    return check_text(" ".join(text.split()), whose)


def check_text(text: str, whose: str) -> str:
    """The text itself, when all of it is printable; line breaks and tabs are allowed.

    Raises:
        UsageError: a character is not printable, or there are too many.

    """
    if len(text) > TEXT_LIMIT:
        raise UsageError(f"{whose} has at most {TEXT_LIMIT} characters, got {len(text)}")
    for character in text:
        if not character.isprintable() and character not in LINES:
            raise UsageError(
                f"{whose} is printable text, got U+{ord(character):04X} in {_shown(text)}"
            )
    return text


def unknown_bot(name: str, known: Iterable[str], where: str = "") -> UnknownBot:
    """Return the error about a name that no registered bot has.

    Args:
        name: the word of the user.
        known: the names of the registered bots, of which similar ones are proposed.
        where: the option or argument that holds the word.

    """
    prefix = f"{where}: " if where else ""
    return UnknownBot(f"{prefix}no registered bot is called {name!r}: {remedy_for(name, known)}")


def matching_names(
    patterns: Iterable[str], names: Iterable[str], option: str, lacking: str, otherwise: str
) -> set[str]:
    """Return the names that shell patterns select.

    Args:
        patterns: names or patterns.
        names: to choose from.
        option: that holds the patterns.
        lacking: what a name that is not among them lacks, such as ``has no rated games``.
        otherwise: what to do where no similar name can be proposed.

    Raises:
        UsageError: a pattern selects no name.

    """
    known, chosen = list(names), set()
    for pattern in patterns:
        found = fnmatch.filter(known, pattern)
        if not found:
            remedy = remedy_for(pattern, known, otherwise)
            raise UsageError(f"{option}: {pattern!r} {lacking}: {remedy}")
        chosen.update(found)
    return chosen


def _shown(text: str) -> str:
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "...")
