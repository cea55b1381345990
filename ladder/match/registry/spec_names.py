"""Names of bots that are made from their specifications, such as ``mybot-4``."""

import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from ladder.match.specs.programs import INTERPRETER
from ladder.names import NAME_CHARACTERS, NAME_LIMIT, NOT_FIRST

LONGEST_BASE = 60
NUMBERED = re.compile(r"(?P<stem>.+)-(?P<number>[0-9]+)")
COMMON = frozenset({"main", "bot", "agent", "submission"})
"""Names of files that say nothing about the bot; the name of their folder is used instead."""


def base_name(spec: str) -> str:
    """Return a name for the bot of a specification, such as ``v18`` or ``mybot``."""
    kind, _, rest = spec.partition(":")
    try:
        words = shlex.split(rest) if kind in ("exec", "saiblo") else [rest]
    except ValueError:
        words = []
    plain = [word for word in words if not word.startswith("-") and "=" not in word]
    if len(plain) > 1 and plain[0] == "env":
        plain = plain[1:]
    if len(plain) > 1 and INTERPRETER.fullmatch(Path(plain[0]).name):
        plain = plain[1:]
    word = (plain or [""])[0].partition("?")[0].partition(":")[0]
    stem = re.sub(r"\.(py|so|sh|js|jar|tgz|tar\.gz)$", "", word.rpartition("/")[2])
    return _valid(stem).lstrip(NOT_FIRST)[:LONGEST_BASE] or "bot"


def name_with_values(base: str, texts: Mapping[str, str]) -> str:
    """Return a name for a bot with values of parameters, such as ``mybot@c0.5+w9``.

    ``?`` and ``=`` would read better, but are a wildcard and a separator where options take names.
    """
    values = "+".join(f"{name}{text}" for name, text in texts.items())
    return _valid(f"{base}@{values}")[: NAME_LIMIT - 5]  # leaves room for a number


def _valid(text: str) -> str:
    return "".join(letter if letter in NAME_CHARACTERS else "-" for letter in text)


def stem_of(name: str) -> str:
    """Return a name without the number that a bot stored by its specification has."""
    found = NUMBERED.fullmatch(name)
    return name if found is None else found["stem"]


def numbered_name(stem: str, taken: Iterable[str]) -> str:
    """Return a stem with the next number, such as ``mybot-4``."""
    found = (NUMBERED.fullmatch(name) for name in taken)
    numbers = [int(each["number"]) for each in found if each is not None and each["stem"] == stem]
    return f"{stem}-{max(numbers, default=0) + 1}"
