"""The budgets of a division: an amount for each kind, and other amounts for single bots (odds).

A mapping such as ``{"time_ms": 100, "time_ms@v17": 200}``: v17 has 200 ms a move, all others 100.
Importing this module loads no database code.
"""

from collections.abc import Mapping

from bots.budget import BUDGETS, KIND_OF_FIELD

OF_BOT = "@"
"""Stands between a kind's key and the name of a bot. No key of a kind holds one."""


def budget_key(field: str, bot: str | None = None) -> str:
    """The key of an amount: for all bots, or for one."""
    return field if bot is None else f"{field}{OF_BOT}{bot}"


def split_budget_key(key: str) -> tuple[str, str | None]:
    """The kind's own key, and the bot whose amount it is; None: for all others."""
    field, sign, bot = key.partition(OF_BOT)
    return field, bot if sign else None


def amount_for(budget: Mapping[str, int], field: str, bot: str) -> int | None:
    """The amount of a kind that a bot has; None: the division has none of that kind."""
    return budget.get(budget_key(field, bot), budget.get(field))


def bots_with_odds(budget: Mapping[str, int]) -> tuple[str, ...]:
    """The bots that have amounts of their own, in the order of the mapping."""
    return tuple(bot for _, bot in map(split_budget_key, budget) if bot is not None)


def rename_in_budget(budget: Mapping[str, int], names: Mapping[str, str]) -> dict[str, int]:
    """Return a budget in which amounts of single bots are those of other names."""
    parts = ((split_budget_key(key), amount) for key, amount in budget.items())
    return {
        budget_key(field, None if bot is None else names.get(bot, bot)): amount
        for (field, bot), amount in parts
    }


def is_valid_budget(budget: Mapping[str, int]) -> bool:
    """Whether all kinds are known, and each amount for one bot stands beside one for all others."""
    known = all(
        field in KIND_OF_FIELD and (bot is None or (bot and field in budget))
        for field, bot in map(split_budget_key, budget)
    )
    return bool(budget) and known


def budget_label(budget: Mapping[str, int]) -> str:
    """Short words for a division's label, such as ``100ms`` or ``100ms,v17=200ms``."""
    words = []
    for key in sorted(budget):
        field, bot = split_budget_key(key)
        word = BUDGETS[KIND_OF_FIELD[field]].label.format(budget[key])
        words.append(word if bot is None else f"{bot}={word}")
    return ",".join(words)
