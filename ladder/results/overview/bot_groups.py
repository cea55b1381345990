"""Groups of bots in the forms of pages."""

from collections.abc import Collection, Iterable

from db.records.bots import BotRow
from ladder.match.registry.builtins import is_catalogue_bot


def bot_groups(bots: Iterable[BotRow], played: Collection[str]) -> dict[str, list[str]]:
    """Return names by group: bots with games, bots without, retired bots.

    Within a group, the user's own bots come before built-in players.

    Args:
        bots: all bots; the order is kept within each part of a group.
        played: names of bots with games.

    """
    groups: dict[str, list[str]] = {"With games": [], "Without games": [], "Retired": []}
    for bot in sorted(bots, key=is_catalogue_bot):
        is_retired = bot.retired_at is not None
        label = "With games" if bot.name in played else "Without games"
        groups["Retired" if is_retired else label].append(bot.name)
    return {label: names for label, names in groups.items() if names}
