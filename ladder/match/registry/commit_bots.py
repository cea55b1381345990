"""Bots at commits of a repository, taken in by a search: registered, and retired at once.

Retired, because a search tries many that nobody wants in a rating list or a run. Their games stay.
"""

import hashlib
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from db.records.bots import BotRow
from db.store import Store
from ladder.match.process.confinement import Confinement
from ladder.match.registry.known_launches import unknown_bots
from ladder.match.registry.register import RegistrationRequest, examine, known_bots, save_bot
from ladder.match.specs.git import LoggedCommit
from ladder.match.specs.git_copies import find_damage
from ladder.match.specs.git_spec import GitSource
from ladder.match.specs.spec import INTERPRETER
from ladder.names import NAME_CHARACTERS, NOT_FIRST
from ladder.visible import visible

SHORT = 10
"""Digits of a commit's hash in the name of its bot."""
LONGEST_BASE, LONGEST_NOTE = 60, 200


@dataclass(frozen=True, slots=True)
class CommitBots:
    """The common part of the bots of one search."""

    spec: str
    folder: Path
    """Where the specification was written."""
    build: str
    """"" for none."""
    python: str | None
    copies: Path
    """The folder of the copies; see `ladder.match.specs.git_copies`."""

    def name_of(self, commit: str, *, further: bool = False) -> str:
        """The name of the bot at a commit; a `further` one tells specification and build apart."""
        name = f"{base_name(self.spec)}@{commit[:SHORT]}"
        if further:
            made_by = repr((self.spec, str(self.folder), self.build, self.python))
            name += f".{hashlib.sha256(made_by.encode()).hexdigest()[:6]}"
        return name


def base_name(spec: str) -> str:
    """A word for the bot of a specification, such as ``v18`` or ``mybot``."""
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
    """The bot at a commit: the registered one, or built, tried, registered and retired.

    Raises:
        UsageError: it cannot be built, or failed its trial; the message says how.
        SpecError: the specification cannot be read at this commit.

    """
    known = known_bots(store)
    name = bots.name_of(commit.commit)
    if name in known and not _is_of(known[name], bots, commit):
        name = bots.name_of(commit.commit, further=True)
    former = known.get(name)
    if former is not None and _is_of(former, bots, commit) and _is_whole(former):
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


def _is_of(row: BotRow, bots: CommitBots, commit: LoggedCommit) -> bool:
    """Whether a registered bot is what the search would make of a commit."""
    launch = row.revision.launch
    origin = launch.origin
    return (
        origin is not None
        and row.spec == bots.spec
        and origin.commit == commit.commit
        and origin.build == bots.build
        and (launch.python == bots.python or bots.python is None)
    )


def _is_whole(row: BotRow) -> bool:
    """Whether a registered bot's copy is as it was taken, by this user."""
    origin = row.revision.launch.origin
    return origin is not None and not unknown_bots([row]) and not find_damage(origin)
