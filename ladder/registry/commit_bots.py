"""Bots at commits of a repository, which a search registers and retires at once.

Retired bots appear in no rating list and no run, and their games stay.
"""

import re
from dataclasses import replace

from db.records.bots import BotRow, NewBot
from db.records.launch import Origin
from db.store import Store
from ladder.match.process.sandbox import Confinement
from ladder.registry.from_spec import base_name, free_name
from ladder.registry.register import (
    RegistrationRequest,
    examine,
    known_bots,
    save_bot,
)
from ladder.registry.specs.git import Commit
from ladder.registry.specs.spec import BotSource, find_origin
from ladder.visible import visible

SHORT = 10
"""Number of digits of a commit's hash in its bot's name."""
LONGEST_NOTE = 200
COMPILER_ERROR = re.compile(r"\berror\b(?! \d)", re.IGNORECASE)
"""A compiler's error, unlike make's ``Error 1``, which gives no reason."""


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
