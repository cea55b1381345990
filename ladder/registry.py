"""Registered bots: keeping the built-in ones current, choosing bots for a run, starting them."""

import fnmatch
import hashlib
import sys
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import msgspec

from bots.catalogue import VERSIONS
from bots.identity import content_hash, sources
from bots.version import Version
from db.errors import NameTaken
from db.records import Launch
from db.rows import BotRow, NewBot, NewRevision
from db.store import Store
from ladder.errors import UsageError

BUILTIN = "builtin:"
PROJECT = Path(__file__).resolve().parent.parent


@lru_cache(maxsize=1)
def host_command() -> tuple[str, ...]:
    """The command of the process that hosts built-in players, with this interpreter.

    -P keeps the current folder off the import path: a user's own package called `bots` or
    `engine` must not be imported instead of ours.
    """
    return (sys.executable, "-P", "-m", "bots.host")


def sync_builtins(store: Store) -> list[str]:
    """Register every built-in player and give those whose sources changed a new revision.

    Safe when two processes do it at once. Returns the names that got a new revision.
    """
    known = {bot.name: bot for bot in store.bots(include_retired=True)}
    changed = []
    for version in VERSIONS.values():
        if version.hidden:
            continue
        revision = _revision(version)
        bot = known.get(version.name)
        if bot is None:
            _register(store, version, revision)
        elif bot.spec.startswith(BUILTIN) and (bot.revision.content_hash != revision.content_hash):
            store.ensure_revision(version.name, revision)
            changed.append(version.name)
    return changed


def _register(store: Store, version: Version, revision: NewRevision) -> None:
    new = NewBot(
        name=version.name,
        family=version.family,
        spec=BUILTIN + version.name,
        based_on=version.based_on,
        change=version.change,
        revision=revision,
    )
    try:
        store.add_bot(new)
    except NameTaken:
        # Another process registered it between our look and our write.
        store.ensure_revision(version.name, revision)


def _revision(version: Version) -> NewRevision:
    # The command is made when the process is started: interpreter and folder are this machine's.
    return NewRevision(
        content_hash=content_hash(version),
        launch=Launch(command=(), folder="", player=version.name),
        budgets=tuple(version.budgets),
        files={
            str(path.relative_to(PROJECT)): hashlib.sha256(path.read_bytes()).hexdigest()[:16]
            for path in sources(version)
        },
    )


def choose_bots(store: Store, patterns: Iterable[str]) -> list[BotRow]:
    """The registered bots that the names and shell patterns select, each once.

    Raises:
        UsageError: a name or pattern selects nothing.

    """
    available = {bot.name: bot for bot in store.bots()}
    chosen: dict[str, BotRow] = {}
    for pattern in patterns:
        word = pattern.strip()
        names = [name for name in available if fnmatch.fnmatchcase(name, word)]
        if not names:
            known = ", ".join(available)
            raise UsageError(f"--bots: no registered bot is called {word!r}: there are {known}")
        for name in names:
            chosen[name] = available[name]
    return list(chosen.values())


def launch_of(bot: BotRow) -> Launch:
    """How to start the bot on this machine."""
    launch = bot.revision.launch
    if not bot.spec.startswith(BUILTIN):
        return launch
    return msgspec.structs.replace(launch, command=host_command(), folder=str(PROJECT))
