"""Bots that a command is given by their specification: stored under a numbered name."""

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from db.records.bots import BotRow
from ladder.match.process.sandbox import Confinement
from ladder.match.registry.register import (
    ExaminedBot,
    RegistrationRequest,
    examine,
    pack_request,
)
from ladder.match.specs.programs import INTERPRETER
from ladder.names import NAME_CHARACTERS, NAME_LIMIT, NOT_FIRST

LONGEST_BASE = 60
NUMBERED = re.compile(r"(?P<stem>.+)-(?P<number>[0-9]+)")
COMMON = frozenset({"main", "bot", "agent", "submission"})
"""Names of files that say nothing about the bot; the name of their folder is used instead."""


@dataclass(frozen=True, slots=True)
class NamedSpec:
    """A specification and the bot that it means."""

    spec: str
    name: str
    former: str | None
    """The newest stored version of the same line before it; None if there is none."""
    examined: ExaminedBot | None
    """The bot to be stored; None if its content is stored already."""


def is_spec(word: str) -> bool:
    """Return whether a word is a specification and not the name of a bot."""
    return ":" in word


def find_or_examine(
    known: Mapping[str, BotRow],
    spec: str,
    folder: Path,
    confinement: Confinement,
    based_on: str | None = None,
) -> NamedSpec:
    """Return the stored bot with the content of a specification, or try a new one out.

    Args:
        known: the registered bots by name, including retired ones.
        spec: the specification.
        folder: the folder in which it was written.
        confinement: its confinement in the trial.
        based_on: the bot that a new one improves on; None: the newest of the same line.

    Raises:
        UsageError: its files cannot be packed, or it failed its trial.
        SpecError: the specification is not valid.

    """
    stem = line_name(spec, folder)
    line = line_of(known, spec, stem, folder)
    name = numbered_name(stem, known)
    former = line[-1].name if line else None
    request = RegistrationRequest(
        name=name, spec=spec, folder=folder, based_on=former if based_on is None else based_on
    )
    bot = pack_request(request)
    same = [
        row
        for row in known.values()
        if row.revision.content_hash == bot.content_hash
        and row.retired_at is None
        and row.revision.launch.can_play
    ]
    if same:
        newest = max(same, key=lambda row: row.revision.created_at)
        earlier = [row.name for row in line if row.name != newest.name]
        return NamedSpec(spec, newest.name, earlier[-1] if earlier else None, None)
    return NamedSpec(spec, name, former, examine(known, request, confinement, bot))


def line_name(spec: str, folder: Path) -> str:
    """Return the stem of the names of a specification's versions."""
    stem = base_name(spec)
    if stem not in COMMON:
        return stem
    words = spec.partition(":")[2].split()
    file = next((word for word in words if Path(word.partition(":")[0]).stem == stem), "")
    place = (folder / file.partition(":")[0]).resolve().parent
    return base_name(f"exec:./{place.name}") if place.name else stem


def line_of(known: Mapping[str, BotRow], spec: str, stem: str, folder: Path) -> list[BotRow]:
    """Return the versions of a specification or with its stem from one folder, oldest first."""
    place = str(folder.resolve())
    found = [
        row
        for row in known.values()
        if (row.spec == spec or stem_of(row.name) == stem)
        and row.revision.launch.folder == place
        and row.retired_at is None
    ]
    return sorted(found, key=lambda row: row.revision.created_at)


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
