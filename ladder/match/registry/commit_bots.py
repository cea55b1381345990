"""Bots at commits of a repository, which a search registers and retires at once.

Retired bots appear in no rating list and no run, and their games stay.
"""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from db.records.bots import BotRow
from db.records.launch import Origin
from db.store import Store
from ladder.match.process.sandbox import Confinement
from ladder.match.registry.from_spec import base_name
from ladder.match.registry.register import (
    RegistrationRequest,
    examine,
    known_bots,
    renamed,
    save_bot,
)
from ladder.match.specs.git import LoggedCommit
from ladder.match.specs.source import GitSource, find_origin
from ladder.visible import visible

SHORT = 10
"""Number of digits of a commit's hash in its bot's name."""
LONGEST_NOTE = 200


@dataclass(frozen=True, slots=True)
class CommitBots:
    """The properties that all bots of one search share."""

    spec: str
    folder: Path
    """The folder in which the specification was written."""
    build: str
    """The build command, or "" for none."""
    python: str | None

    def name_of(self, commit: str, *, unique: bool = False) -> str:
        """Return the name of the bot at a commit, such as ``v18@0123456789``.

        Args:
            commit: hash of the commit.
            unique: whether to add a hash of specification, folder, build and interpreter, if
                another bot has the plain name.

        """
        name = f"{base_name(self.spec)}@{commit[:SHORT]}"
        if unique:
            made_by = repr((self.spec, str(self.folder), self.build, self.python))
            name += f".{hashlib.sha256(made_by.encode()).hexdigest()[:6]}"
        return name


def commit_bot(
    store: Store, bots: CommitBots, commit: LoggedCommit, confinement: Confinement
) -> BotRow:
    """Return the bot at a commit; if it is not registered, build, try, register and retire it.

    A commit with the files of another one, whose bot is stored, is not built again.

    Raises:
        UsageError: it cannot be built, or failed its trial.
        SpecError: the specification is not valid at this commit.

    """
    known = known_bots(store)
    source = GitSource(commit.commit, bots.build)
    _, _, origin = find_origin(bots.spec, bots.folder, source)
    name = bots.name_of(commit.commit)
    alike = [row for row in known.values() if _is_made_from(row, bots, origin)]
    if name in known and known[name] not in alike:
        name = bots.name_of(commit.commit, unique=True)
    former = known.get(name)
    playable = [row for row in alike if row.revision.launch.can_play]
    if former is not None and former in playable:
        return former
    note = visible(commit.subject)[:LONGEST_NOTE]
    if playable:
        new = replace(renamed(playable[0], name), based_on=None, change=note)
    else:
        request = RegistrationRequest(
            name=name,
            spec=bots.spec,
            folder=bots.folder,
            note=note,
            python=bots.python,
            replace=former is not None,
            source=source,
        )
        new = examine(known, request, confinement).new
    save_bot(store, new, replace=former is not None)
    return store.bots.retire(name)


def _is_made_from(row: BotRow, bots: CommitBots, origin: Origin) -> bool:
    """Return whether a registered bot is made from the same files."""
    launch = row.revision.launch
    stored = launch.origin
    return (
        stored is not None
        and row.spec == bots.spec
        and (stored.tree, stored.inner, stored.build) == (origin.tree, origin.inner, origin.build)
        and not launch.patterns
        and (launch.python == bots.python or bots.python is None)
    )
