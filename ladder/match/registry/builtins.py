"""The built-in players in a database, kept in step with the catalogue."""

from collections.abc import Collection, Iterable

import msgspec

from bots.catalogue import VERSIONS
from bots.champion import CHAMPION
from bots.errors import SpecError, UnknownPlayer
from bots.version import Version
from db.records.bots import BotRow, NewBot, NewRevision
from db.store import Store
from engine.cache import ROOT
from ladder.match.specs.spec import BUILTIN, read_spec, resolve_own_player

OPPONENTS = ("random", "flat-mc", "v1", "v4", "v12", "v17", CHAMPION, "exact")
"""The built-in players that lists, menus and runs without `--bots` show; the others are played when
they are named."""
LADDER = tuple(f"v{number}" for number in range(1, 18))
"""The built-in players that a run without `--bots` adds where the user has no bot."""


def sync_builtins(store: Store) -> list[str]:
    """Register every built-in player, and add a revision to those whose behaviour changed.

    Two processes may do this at the same time.

    Returns:
        The names of the players with a new revision.

    """
    known = {bot.name: bot for bot in store.bots.all(include_retired=True)}
    new: list[NewBot] = []
    changed: dict[str, NewRevision] = {}
    for version in VERSIONS.values():
        if version.hidden:
            continue
        revision = _catalogue_revision(version)
        bot = known.get(version.name)
        if bot is None:
            new.append(_new_bot(version, revision))
        elif bot.revision.launch.is_own and bot.revision.content_hash != revision.content_hash:
            changed[version.name] = revision
    for bot in known.values():
        is_own = bot.revision.launch.is_own
        if is_own and bot.name not in VERSIONS and bot.retired_at is None:
            new_revision = _changed_revision(bot)
            if new_revision is not None:
                changed[bot.name] = new_revision
    if new or changed:
        store.bots.bring_up_to_date(new, changed)
    return list(changed)


def _changed_revision(bot: BotRow) -> NewRevision | None:
    """Return the new revision of a player with options, or None if its content is the same.

    The options are those of its launch, which hold the content of files that the user named.
    """
    try:
        resolved = resolve_own_player(bot.revision.launch)
    except (SpecError, UnknownPlayer):  # these sources lack it, which is an error when it plays
        return None
    if resolved.content_hash == bot.revision.content_hash:
        return None
    return NewRevision(
        content_hash=resolved.content_hash,
        launch=msgspec.structs.replace(bot.revision.launch, player=resolved.launch.player),
        budgets=bot.revision.budgets,
        boards=bot.revision.boards,
        files=resolved.files,
    )


def _new_bot(version: Version, revision: NewRevision) -> NewBot:
    return NewBot(
        name=version.name,
        family=version.family,
        spec=BUILTIN + version.name,
        based_on=version.based_on,
        change=version.change,
        revision=revision,
    )


def _catalogue_revision(version: Version) -> NewRevision:
    resolved = read_spec(BUILTIN + version.name, ROOT)
    return NewRevision(
        content_hash=resolved.content_hash,
        launch=resolved.launch,
        budgets=tuple(version.budgets),
        files=resolved.files,
    )


def is_catalogue_bot(bot: BotRow) -> bool:
    """Return whether a bot is a built-in player under its own name."""
    own = bot.name in VERSIONS and bot.spec == BUILTIN + bot.name
    return own and bot.revision.launch.is_own


def shown_first(bots: Iterable[BotRow], named: Collection[str | None] = ()) -> list[BotRow]:
    """Return the user's own bots, then the built-in players among `OPPONENTS` and the named."""
    shown = {*OPPONENTS, *named}
    found = [bot for bot in bots if bot.name in shown or not is_catalogue_bot(bot)]
    return sorted(found, key=is_catalogue_bot)
