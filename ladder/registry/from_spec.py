"""Bots that a command makes from a specification: under a numbered name, or at commits.

Those at commits are retired at once. They appear in no rating list and no run; their games stay.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count
from pathlib import Path

from db.records.bots import BotRow, NewBot
from db.records.launch import Origin
from db.store import Store
from ladder.match.process.sandbox import Confinement
from ladder.names import NAME_CHARACTERS, NAME_LIMIT, NOT_FIRST
from ladder.registry.registration import (
    ExaminedBot,
    RegistrationRequest,
    examine,
    known_bots,
    save_bot,
)
from ladder.registry.same_bot import compare_bot, stored_files, stored_manifest
from ladder.registry.specs.forms import COMMANDS
from ladder.registry.specs.git import Commit
from ladder.registry.specs.programs import INTERPRETER
from ladder.registry.specs.spec import BotSource, find_origin, pack_bot, rooted
from ladder.registry.specs.targets import MOVES, split_options
from ladder.visible import visible

LONGEST_BASE = 60
NUMBERED = re.compile(r"(?P<stem>.+)-(?P<number>[0-9]+)")
COMMON = frozenset({"main", "bot", "agent", "submission"})
"""Names of files that say nothing about the bot; the name of their folder is used instead."""
SHORT = 10
"""Number of digits of a commit's hash in its bot's name."""
LONGEST_NOTE = 200
COMPILER_ERROR = re.compile(r"\berror\b(?! \d)", re.IGNORECASE)
"""A compiler's error, unlike make's ``Error 1``, which gives no reason."""


@dataclass(frozen=True, slots=True)
class NamedSpec:
    """The bot that a specification means."""

    name: str
    former: str | None
    """The newest stored version of the same line before it; None for the first."""
    examined: ExaminedBot | None
    """The bot to be stored; None if it is stored already."""
    changes: str = ""
    """How the files of the folder differ from those of a stored version; "" if they do not."""


@dataclass(frozen=True, slots=True)
class SpecRules:
    """How a command treats the bots that it is given by their specification."""

    based_on: str | None = None
    """The bot that new ones improve on; None: the newest of the same line."""
    is_new: bool = False
    """Whether to store a new version unless exactly these files are stored."""
    is_strict: bool = False
    """Whether a changed file makes a new version even if no version has used it."""
    outputs: tuple[Path, ...] = ()
    """Files that the command writes."""


def is_spec(word: str) -> bool:
    """Return whether a word is a specification and not the name of a bot."""
    return ":" in word


def find_or_examine(
    store: Store, spec: str, folder: Path, confinement: Confinement, rules: SpecRules
) -> NamedSpec:
    """Return the stored bot that a specification means, or try a new one out.

    It is a bot with the same content, or else the newest version of the same line from the same
    folder none of whose files has changed, as far as that counts.

    Args:
        store: the database.
        spec: the specification.
        folder: the folder in which it was written.
        confinement: its confinement in the trial.
        rules: what makes a new version.

    Raises:
        UsageError: its files cannot be packed, or it failed its trial.
        SpecError: the specification is not valid.

    """
    known = known_bots(store)
    stem = line_name(spec, folder)
    source = rooted(BotSource(spec, folder, outputs=rules.outputs))
    playing = sorted(
        (row for row in known.values() if row.retired_at is None),
        key=lambda row: row.revision.created_at,
    )
    line = [
        row
        for row in playing
        if (row.spec == source.spec or _stem_of(row.name) == stem)
        and row.revision.launch.folder == str(source.folder.resolve())
    ]

    def earlier(name: str) -> str | None:
        others = [each.name for each in line if each.name != name]
        return others[-1] if others else None

    bot = pack_bot(source)
    for row in reversed(playing):
        if row.revision.content_hash == bot.content_hash and row.revision.launch.can_play:
            return NamedSpec(row.name, earlier(row.name), None)
    words = ""
    for row in reversed(line):
        changes = compare_bot(row, stored_manifest(store, row), bot, rules.outputs)
        if changes is not None and changes.is_same(is_strict=rules.is_strict) and not rules.is_new:
            return NamedSpec(row.name, earlier(row.name), None, changes.words)
        words = words or ("" if changes is None else changes.words)
    former = line[-1].name if line else None
    request = RegistrationRequest(
        name=_numbered_name(stem, known),
        source=source,
        based_on=former if rules.based_on is None else rules.based_on,
    )
    examined = examine(known, request, confinement, bot, partial(stored_files, store))
    return NamedSpec(request.name, former, examined, words)


def line_name(spec: str, folder: Path) -> str:
    """Return the stem of the names of a specification's versions, such as ``mybot``."""
    stem = base_name(spec)
    if stem not in COMMON:
        return stem
    kind, _, rest = spec.partition(":")
    words = (split_options(rest)[1] if kind == MOVES else rest).split()
    file = next((word for word in words if Path(word.partition(":")[0]).stem == stem), "")
    place = (folder / file.partition(":")[0]).resolve().parent
    return base_name(f"exec:./{place.name}") if place.name else stem


def base_name(spec: str) -> str:
    """Return a name for the bot of a specification, such as ``v18`` or ``mybot``."""
    kind, _, rest = spec.partition(":")
    if kind == MOVES:
        rest = split_options(rest)[1]
    try:
        words = shlex.split(rest) if kind in COMMANDS else [rest]
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


def free_name(stem: str, is_taken: Callable[[str], bool]) -> str:
    """Return a stem that is not taken, else with a number, such as ``mybot@main-2``."""
    names = chain((stem,), (f"{stem}-{number}" for number in count(2)))
    return next(name for name in names if not is_taken(name))


def _valid(text: str) -> str:
    return "".join(letter if letter in NAME_CHARACTERS else "-" for letter in text)


def _stem_of(name: str) -> str:
    """Return a name without the number that a bot stored by its specification has."""
    found = NUMBERED.fullmatch(name)
    return name if found is None else found["stem"]


def _numbered_name(stem: str, taken: Iterable[str]) -> str:
    """Return a stem with the next number, such as ``mybot-4``."""
    found = (NUMBERED.fullmatch(name) for name in taken)
    numbers = [int(each["number"]) for each in found if each is not None and each["stem"] == stem]
    return f"{stem}-{max(numbers, default=0) + 1}"


def commit_bot(store: Store, source: BotSource, commit: Commit, confinement: Confinement) -> BotRow:
    """Return the bot at a commit; if it is not registered, build, try, register and retire it.

    A commit with the files of another one, whose bot is stored, is not built again.

    Args:
        store: the database.
        source: the bot, without its revision.
        commit: the revision.
        confinement: its confinement in the trial.

    Raises:
        UsageError: it cannot be built, or failed its trial.
        SpecError: the specification is not valid at this commit.

    """
    known = known_bots(store)
    source = replace(source, git=commit.commit)
    _, origin = find_origin(source)
    alike = [row for row in known.values() if is_made_from(row, source, origin)]
    name = free_name(
        f"{base_name(source.spec)}@{commit.commit[:SHORT]}",
        lambda each: each in known and known[each] not in alike,
    )
    former = known.get(name)
    playable = [row for row in alike if row.revision.launch.can_play]
    if former is not None and former in playable:
        return former
    own = [row for row in playable if _origin_commit(row) == commit.commit]
    if former is None and own:  # under a new name; copies for other commits came later
        return min(own, key=lambda row: row.id)
    note = visible(commit.subject)[:LONGEST_NOTE]
    if playable:
        new: NewBot = replace(playable[0], name=name, based_on=None, change=note)
    else:
        request = RegistrationRequest(
            name=name, source=source, note=note, replace=former is not None
        )
        new = examine(known, request, confinement).new
    save_bot(store, new, replace=former is not None)
    return store.bots.retire(name)


def _origin_commit(row: BotRow) -> str | None:
    origin = row.revision.launch.origin
    return None if origin is None else origin.commit


def is_made_from(row: BotRow, source: BotSource, origin: Origin) -> bool:
    """Return whether a registered bot is made from the same files."""
    launch, stored = row.revision.launch, row.revision.launch.origin
    return (
        stored is not None
        and row.spec == source.spec
        and (stored.tree, stored.inner, stored.build) == (origin.tree, origin.inner, origin.build)
        and not launch.patterns
        and source.python in (None, launch.python)
    )


def short_reason(text: str) -> str:
    """Return the first line of a text, and the last error or else the last line below it."""
    first, *others = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in others if COMPILER_ERROR.search(line)]
    return " ".join([first, *(errors or others)[-1:]])
