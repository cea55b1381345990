"""Bots that a command is given by their specification: stored under a numbered name."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from db.records.bots import BotRow
from ladder.match.process.confinement import Confinement
from ladder.match.registry.register import (
    ExaminedBot,
    RegistrationRequest,
    check_request,
    pack_request,
    try_request,
)
from ladder.match.registry.spec_names import COMMON, base_name, numbered_name, stem_of


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
    check_request(known, request)
    bot = pack_request(request)
    same = [
        row
        for row in known.values()
        if row.revision.content_hash == bot.resolved.content_hash
        and row.retired_at is None
        and row.revision.launch.can_play
    ]
    if same:
        newest = max(same, key=lambda row: row.revision.created_at)
        earlier = [row.name for row in line if row.name != newest.name]
        return NamedSpec(spec, newest.name, earlier[-1] if earlier else None, None)
    return NamedSpec(spec, name, former, try_request(known, request, bot, confinement))


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
