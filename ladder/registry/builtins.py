"""Registered bots: keeping the built-in ones current, choosing bots for a run, starting them."""

import msgspec

from bots.catalogue import VERSIONS, parse_player
from bots.errors import SpecError, UnknownPlayer
from bots.identity import goes_on
from bots.version import Version
from db.errors import NameTaken
from db.records.bots import (
    BotRow,
    NewBot,
    NewRevision,
)
from db.store import Store
from engine.cache import ROOT
from ladder.specs.spec import (
    BUILTIN,
    ResolvedBot,
    read_spec,
)


def sync_builtins(store: Store) -> list[str]:
    """Register every built-in player and give those whose sources changed a new revision.

    Safe when two processes do it at once. Returns the names that got a new revision.
    """
    known = {bot.name: bot for bot in store.bots.all(include_retired=True)}
    changed = []
    for version in VERSIONS.values():
        if version.hidden:
            continue
        revision = _revision(version)
        bot = known.get(version.name)
        if bot is None:
            _register(store, version, revision)
        elif _is_own(bot) and bot.revision.content_hash != revision.content_hash:
            store.bots.ensure_revision(version.name, revision)
            changed.append(version.name)
    for bot in known.values():
        if bot.name not in VERSIONS and bot.retired_at is None and _is_own(bot):
            changed += _follow(store, bot)
    return changed


def _follow(store: Store, bot: BotRow) -> list[str]:
    """Keep a player registered with options current; it is what its launch says, not its files."""
    try:
        resolved = read_spec(f"{BUILTIN}{bot.revision.launch.player}", ROOT)
    except (SpecError, UnknownPlayer):
        # A player or an option that these sources do not have: it says so when it is to play.
        return []
    if not has_changed(bot, resolved):
        return []
    revision = NewRevision(
        content_hash=resolved.content_hash,
        launch=msgspec.structs.replace(bot.revision.launch, player=resolved.launch.player),
        budgets=bot.revision.budgets,
        boards=bot.revision.boards,
        files=resolved.files,
    )
    store.bots.ensure_revision(bot.name, revision)
    return [bot.name]


def has_changed(bot: BotRow, resolved: ResolvedBot) -> bool:
    """Whether the content of a registered bot is another one now.

    A built-in player with options whose sources only moved has not changed.
    """
    revision = bot.revision
    if resolved.content_hash == revision.content_hash:
        return False
    if revision.launch.player is None or not _is_own(bot):
        return True
    version, options = parse_player(revision.launch.player)
    return not goes_on(version, options, revision.files)


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
        store.bots.add(new)
    except NameTaken:
        # Another process registered it between our look and our write.
        store.bots.ensure_revision(version.name, revision)


def _revision(version: Version) -> NewRevision:
    resolved = read_spec(BUILTIN + version.name, ROOT)
    return NewRevision(
        content_hash=resolved.content_hash,
        launch=resolved.launch,
        budgets=tuple(version.budgets),
        files=resolved.files,
    )
