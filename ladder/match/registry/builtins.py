"""The built-in players of a database, kept as the current sources have them."""

import msgspec

from bots.catalogue import VERSIONS, parse_player
from bots.errors import SpecError, UnknownPlayer
from bots.identity import is_carried_over
from bots.version import Version
from db.records.bots import (
    BotRow,
    NewBot,
    NewRevision,
)
from db.store import Store
from engine.cache import ROOT
from ladder.match.specs.spec import (
    BUILTIN,
    ResolvedBot,
    own_player_of,
    read_spec,
)


def sync_builtins(store: Store) -> list[str]:
    """Register every built-in player and give those whose sources changed a new revision.

    Safe when two processes do it at once. Returns the names that got a new revision.
    """
    known = {bot.name: bot for bot in store.bots.all(include_retired=True)}
    new: list[NewBot] = []
    changed: dict[str, NewRevision] = {}
    for version in VERSIONS.values():
        if version.hidden:
            continue
        revision = _revision(version)
        bot = known.get(version.name)
        if bot is None:
            new.append(_new_bot(version, revision))
        elif is_own(bot) and bot.revision.content_hash != revision.content_hash:
            changed[version.name] = revision
    for bot in known.values():
        if bot.name not in VERSIONS and bot.retired_at is None and is_own(bot):
            revision_now = _followed(bot)
            if revision_now is not None:
                changed[bot.name] = revision_now
    if new or changed:
        store.bots.bring_up_to_date(new, changed)
    return list(changed)


def _followed(bot: BotRow) -> NewRevision | None:
    """The new revision of a player with options; None when there is none.

    The player is what its launch says, not the files that its options named.
    """
    try:
        resolved = own_player_of(bot.revision.launch)
    except (SpecError, UnknownPlayer):
        # A player or an option that these sources do not have: it says so when it is to play.
        return None
    if not has_changed(bot, resolved):
        return None
    return NewRevision(
        content_hash=resolved.content_hash,
        launch=msgspec.structs.replace(bot.revision.launch, player=resolved.launch.player),
        budgets=bot.revision.budgets,
        boards=bot.revision.boards,
        files=resolved.files,
    )


def has_changed(bot: BotRow, resolved: ResolvedBot) -> bool:
    """Whether the content of a registered bot is another one now.

    A built-in player with options whose sources only moved has not changed.
    """
    revision = bot.revision
    if resolved.content_hash == revision.content_hash:
        return False
    if revision.launch.player is None or not is_own(bot):
        return True
    version, options = parse_player(revision.launch.player)
    return not is_carried_over(version, options, revision.files)


def is_own(bot: BotRow) -> bool:
    """Whether it is a built-in player of the current sources, which gets revisions by itself."""
    launch = bot.revision.launch
    return launch.player is not None and launch.origin is None


def _new_bot(version: Version, revision: NewRevision) -> NewBot:
    return NewBot(
        name=version.name,
        family=version.family,
        spec=BUILTIN + version.name,
        based_on=version.based_on,
        change=version.change,
        revision=revision,
    )


def _revision(version: Version) -> NewRevision:
    resolved = read_spec(BUILTIN + version.name, ROOT)
    return NewRevision(
        content_hash=resolved.content_hash,
        launch=resolved.launch,
        budgets=tuple(version.budgets),
        files=resolved.files,
    )
