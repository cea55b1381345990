"""Registered bots: keeping the built-in ones current, choosing bots for a run, starting them."""

import fnmatch
import sys
from collections.abc import Iterable
from pathlib import Path

from bots.catalogue import VERSIONS
from bots.version import Version
from db.errors import NameTaken
from db.records import Launch
from db.rows import BotRow, NewBot, NewRevision
from db.store import Store
from engine.board import BoardClass
from engine.cache import ROOT
from ladder.boards import can_play_class
from ladder.errors import UsageError
from ladder.specs import BUILTIN, read_spec


def host_launch(player: str) -> Launch:
    """How to start a built-in player (``v4``, ``c4ai?weights=file.csv``) with this interpreter.

    -P keeps the current folder off the import path: a user's own package called `bots` or
    `engine` must not be imported instead of ours.
    """
    command = (sys.executable, "-P", "-m", "bots.host")
    return Launch(command=command, folder=str(ROOT), player=player)


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
    made = read_spec(BUILTIN + version.name, ROOT)
    return NewRevision(
        content_hash=made.content_hash,
        launch=made.launch,
        budgets=tuple(version.budgets),
        files=made.files,
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
    return launch if launch.player is None else host_launch(launch.player)


def refuse_changed(bots: Iterable[BotRow]) -> None:
    """See that foreign bots are still what was registered.

    Raises:
        UsageError: the files of one have changed; its games must not be mixed.
        SpecError: something that it is made of is gone.

    """
    for bot in bots:
        if bot.revision.launch.player is not None:
            continue
        made = read_spec(bot.spec, Path(bot.revision.launch.folder))
        if made.content_hash != bot.revision.content_hash:
            changed = {*made.files.items()} ^ {*bot.revision.files.items()}
            names = ", ".join(sorted({name for name, _ in changed}))
            raise UsageError(
                f"{bot.name} has changed since it was registered ({names}): register the new "
                "version under a name of its own with `ladder bots add`, so that its games are "
                "not mixed with the old ones"
            )


def refuse_boards(bots: Iterable[BotRow], boards: Iterable[BoardClass]) -> None:
    """See that every bot plays every board.

    Raises:
        UsageError: one does not.

    """
    for bot in bots:
        for board in boards:
            if not can_play_class(bot.revision.boards, board):
                listed = ", ".join(bot.revision.boards or ())
                raise UsageError(
                    f"{bot.name} does not play {board}, only {listed}: leave it out of --bots or "
                    "choose other --boards"
                )
