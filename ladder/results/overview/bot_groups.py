"""Bots in the groups in which forms offer them."""

from collections.abc import Collection, Iterable

from db.records.bots import BotRow
from ladder.match.registry.register import is_built_in

RETIRED = "Retired"


def bot_groups(bots: Iterable[BotRow], played: Collection[str]) -> dict[str, list[str]]:
    """Return names by group: bots with games, bots without, retired ones.

    Within each group the user's own bots come before built-in players.

    Args:
        bots: in the order in which equal ones are listed.
        played: the names of those with games.

    """
    groups: dict[str, list[str]] = {"With games": [], "Without games": [], RETIRED: []}
    for bot in sorted(bots, key=is_built_in):
        is_retired = bot.retired_at is not None
        label = "With games" if bot.name in played else "Without games"
        groups[RETIRED if is_retired else label].append(bot.name)
    return {label: names for label, names in groups.items() if names}
