"""Bots at commits of a repository, which a search registers and retires at once.

Retired bots appear in no rating list and no run, and their games stay.
"""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from db.records.bots import BotRow
from db.store import Store
from ladder.match.process.confinement import Confinement
from ladder.match.registry.register import RegistrationRequest, examine, known_bots, save_bot
from ladder.match.specs.file_state import hash_value
from ladder.match.specs.git import LoggedCommit
from ladder.match.specs.git_copies import find_damage
from ladder.match.specs.git_spec import GitSource
from ladder.match.specs.spec import INTERPRETER
from ladder.names import NAME_CHARACTERS, NOT_FIRST
from ladder.visible import visible

SHORT = 10
"""Number of digits of a commit's hash in its bot's name."""
LONGEST_BASE, LONGEST_NOTE = 60, 200


@dataclass(frozen=True, slots=True)
class CommitBots:
    """The properties that all bots of one search share."""

    spec: str
    folder: Path
    """The folder in which the specification was written."""
    build: str
    """The build command, or "" for none."""
    python: str | None
    copies: Path
    """The folder of all copies; see `ladder.match.specs.git_copies`."""

    def name_of(self, commit: str, *, unique: bool = False) -> str:
        """Return the name of the bot at a commit, such as ``v18@0123456789``.

        Args:
            commit: hash of the commit.
            unique: whether to add a hash of specification, folder, build and interpreter, if
                another bot has the plain name.

        """
        name = f"{base_name(self.spec)}@{commit[:SHORT]}"
        if unique:
            made_by = (self.spec, str(self.folder), self.build, self.python)
            name += f".{hash_value(made_by)[:6]}"
        return name


def base_name(spec: str) -> str:
    """Return a name for the bot of a specification, such as ``v18`` or ``mybot``."""
    kind, _, rest = spec.partition(":")
    try:
        words = shlex.split(rest) if kind in ("exec", "saiblo") else [rest]
    except ValueError:
        words = []
    plain = [word for word in words if not word.startswith("-")]
    if len(plain) > 1 and INTERPRETER.fullmatch(Path(plain[0]).name):
        plain = plain[1:]
    word = (plain or [""])[0].partition("?")[0].partition(":")[0]
    stem = re.sub(r"\.(py|so|sh|js|jar)$", "", word.rpartition("/")[2])
    kept = "".join(letter if letter in NAME_CHARACTERS else "-" for letter in stem)
    return kept.lstrip(NOT_FIRST)[:LONGEST_BASE] or "bot"


def commit_bot(
    store: Store, bots: CommitBots, commit: LoggedCommit, confinement: Confinement
) -> BotRow:
    """Return the bot at a commit; if it is not registered, build, try, register and retire it.

    Raises:
        UsageError: it cannot be built, or failed its trial.
        SpecError: the specification is not valid at this commit.

    """
    known = known_bots(store)
    name = bots.name_of(commit.commit)
    if name in known and not _is_same_bot(known[name], bots, commit):
        name = bots.name_of(commit.commit, unique=True)
    former = known.get(name)
    if former is not None and _is_same_bot(former, bots, commit) and _is_intact(former):
        return former
    request = RegistrationRequest(
        name=name,
        spec=bots.spec,
        folder=bots.folder,
        note=visible(commit.subject)[:LONGEST_NOTE],
        python=bots.python,
        replace=former is not None,
        source=GitSource(commit.commit, bots.build, bots.copies),
    )
    examined = examine(known, request, confinement)
    save_bot(store, examined.new, replace=request.replace)
    return store.bots.retire(name)


def _is_same_bot(row: BotRow, bots: CommitBots, commit: LoggedCommit) -> bool:
    """Return whether a registered bot is the one that the search would register at a commit."""
    launch = row.revision.launch
    origin = launch.origin
    return (
        origin is not None
        and row.spec == bots.spec
        and origin.commit == commit.commit
        and origin.build == bots.build
        and (launch.python == bots.python or bots.python is None)
    )


def _is_intact(row: BotRow) -> bool:
    """Return whether the copy of a bot from git is undamaged."""
    origin = row.revision.launch.origin
    return origin is not None and not find_damage(origin)
