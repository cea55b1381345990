"""The built-in players in a database, kept in step with the catalogue."""

import contextlib
from collections.abc import Collection, Iterable
from dataclasses import replace

import msgspec

from bots.catalogue import VERSIONS
from bots.champion import CHAMPION
from bots.errors import SpecError, UnknownPlayer
from db.records.bots import BotRow, NewBot
from db.store import Store
from ladder.registry.specs.spec import BUILTIN, resolve_own_player
from ladder.registry.specs.start_command import builtin_launch

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
    new = [
        NewBot(
            name=version.name,
            family=version.family,
            spec=BUILTIN + version.name,
            based_on=version.based_on,
            change=version.change,
            revision=resolve_own_player(builtin_launch(version.name)),
        )
        for version in VERSIONS.values()
        if not version.hidden and version.name not in known
    ]
    changed = {}
    for bot in known.values():
        if not bot.revision.launch.is_own or (bot.retired_at and bot.name not in VERSIONS):
            continue
        # If these sources lack it, that is an error when it plays.
        with contextlib.suppress(SpecError, UnknownPlayer):
            stored = bot.revision.launch
            now = resolve_own_player(stored)
            if now.content_hash != bot.revision.content_hash:
                launch = msgspec.structs.replace(stored, player=now.launch.player)
                changed[bot.name] = replace(now, launch=launch)
    if new or changed:
        store.bots.bring_up_to_date(new, changed)
    return list(changed)


def is_catalogue_bot(bot: BotRow) -> bool:
    """Return whether a bot is a built-in player under its own name."""
    own = bot.name in VERSIONS and bot.spec == BUILTIN + bot.name
    return own and bot.revision.launch.is_own


def shown_first(bots: Iterable[BotRow], named: Collection[str | None] = ()) -> list[BotRow]:
    """Return the user's own bots, then the built-in players among `OPPONENTS` and the named."""
    shown = {*OPPONENTS, *named}
    found = [bot for bot in bots if bot.name in shown or not is_catalogue_bot(bot)]
    return sorted(found, key=is_catalogue_bot)
