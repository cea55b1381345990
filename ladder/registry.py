"""Registered bots: keeping the built-in ones current, choosing bots for a run, starting them."""

import fnmatch
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from bots.catalogue import VERSIONS
from bots.errors import SpecError
from bots.foreign import script_of
from bots.version import Version
from db.errors import NameTaken
from db.records import Launch
from db.rows import BotRow, NewBot, NewRevision
from db.store import Store
from engine.board import BoardClass
from engine.cache import ROOT
from ladder.boards import can_play_class, describe_boards
from ladder.errors import UsageError
from ladder.hosting import copy_launch, host_launch
from ladder.specs import BUILTIN, Made, read_spec
from ladder.versions import made_from


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
        elif _is_own(bot) and bot.revision.content_hash != revision.content_hash:
            store.ensure_revision(version.name, revision)
            changed.append(version.name)
    return changed


def _is_own(bot: BotRow) -> bool:
    """Whether it is a built-in player of the current sources, which gets revisions by itself."""
    launch = bot.revision.launch
    return launch.player is not None and launch.origin is None


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
    return runnable(bot.revision.launch)


def runnable(launch: Launch) -> Launch:
    """A launch as it is stored, with the interpreter and the host's script of this installation."""
    if launch.player is not None:
        return host_launch(launch.player) if launch.origin is None else copy_launch(launch)
    if launch.host is None:
        return launch
    # The ladder's own interpreter needs none of its packages here, and starts faster without.
    python = (sys.executable, "-I", "-S") if launch.python is None else (launch.python,)
    command = (*python, script_of(launch.host), *launch.command)
    return msgspec.structs.replace(launch, command=command, host=None)


def made_now(bot: BotRow) -> Made:
    """What the specification of a registered bot stands for now.

    Raises:
        SpecError: something that it is made of is gone.

    """
    launch = bot.revision.launch
    if launch.origin is not None:
        return made_from(bot.spec, launch.origin, python=launch.python)
    return read_spec(bot.spec, Path(launch.folder), python=launch.python)


def changed_files(then: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """What became of a bot's ingredients: ``changed``, ``new`` or ``gone`` by name."""
    words = {}
    for name in sorted({*then, *now}):
        if name not in now:
            words[name] = "gone"
        elif name not in then:
            words[name] = "new"
        elif then[name] != now[name]:
            words[name] = "changed"
    return words


def changes_since(bot: BotRow) -> dict[str, str]:
    """What became of a registered foreign bot's ingredients, by name; empty when nothing did.

    A bot that cannot be read any more has one entry, its specification, and the reason.
    """
    if _is_own(bot):
        return {}
    try:
        return changed_files(bot.revision.files, made_now(bot).files)
    except SpecError as error:
        return {bot.spec: str(error)}


def refuse_changed(bots: Iterable[BotRow]) -> None:
    """See that foreign bots are still what was registered.

    Raises:
        UsageError: the files of one have changed; its games must not be mixed.
        SpecError: something that it is made of is gone.

    """
    for bot in bots:
        if _is_own(bot):
            continue
        try:
            made = made_now(bot)
        except SpecError as error:
            raise SpecError(f"{bot.name}: {error}") from error
        if made.content_hash != bot.revision.content_hash:
            changed = changed_files(bot.revision.files, made.files)
            names = ", ".join(f"{name} {word}" for name, word in changed.items())
            raise UsageError(
                f"{bot.name} is not what was registered ({names}): register the new version under "
                "a name of its own with `ladder bots add`, or in its place with --replace, which "
                "retires the old one and its rating"
            )


def refuse_boards(bots: Iterable[BotRow], boards: Iterable[BoardClass]) -> None:
    """See that every bot plays some of the boards.

    Raises:
        UsageError: one plays none of them.

    """
    classes = tuple(boards)
    for bot in bots:
        if not any(can_play_class(bot.revision.boards, board) for board in classes):
            asked = ", ".join(map(str, classes))
            raise UsageError(
                f"{bot.name} does not play {asked}: it plays {describe_boards(bot.revision.boards)}"
                "; leave it out of --bots or choose other --boards"
            )


def refuse_hurried(bots: Iterable[BotRow], time_ms: int | None) -> None:
    """See that every bot can play in the time given per move.

    Raises:
        UsageError: one needs more, as was found when it was registered.

    """
    for bot in bots:
        needed = bot.revision.launch.min_time_ms
        if time_ms is not None and needed is not None and time_ms < needed:
            raise UsageError(
                f"{bot.name} takes {needed} ms a move whatever it is given, and {time_ms} ms is "
                f"less: ask for at least --time {needed}ms, or leave it out"
            )
