"""The budgets of a division: an amount per kind, and odds, which are amounts of single bots.

With ``{"time_ms": 100, "time_ms@v17": 200}``, v17 has 200 ms per move and all others have 100.
"""

from collections.abc import Mapping

from bots.budget import BUDGETS, KIND_OF_FIELD

OF_BOT = "@"
"""Separates a kind's field from a bot's name; no field contains it."""


def budget_key(field: str, bot: str | None = None) -> str:
    """Return the key of an amount for all bots, or for one."""
    return field if bot is None else f"{field}{OF_BOT}{bot}"


def split_budget_key(key: str) -> tuple[str, str | None]:
    """Return the kind's field and the bot of a key; None as the bot means all bots."""
    field, sign, bot = key.partition(OF_BOT)
    return field, bot if sign else None


def amount_for(budget: Mapping[str, int], field: str, bot: str) -> int | None:
    """Return a bot's amount of a kind, or None if the division has no budget of that kind."""
    return budget.get(budget_key(field, bot), budget.get(field))


def bots_with_odds(budget: Mapping[str, int]) -> tuple[str, ...]:
    """Return the bots with amounts of their own, in the order of the mapping."""
    return tuple(bot for _, bot in map(split_budget_key, budget) if bot is not None)


def rename_in_budget(budget: Mapping[str, int], names: Mapping[str, str]) -> dict[str, int]:
    """Return a budget with bots renamed; `names` maps old names to new ones."""
    parts = ((split_budget_key(key), amount) for key, amount in budget.items())
    return {
        budget_key(field, None if bot is None else names.get(bot, bot)): amount
        for (field, bot), amount in parts
    }


def is_valid_budget(budget: Mapping[str, int]) -> bool:
    """Return whether a budget has known kinds only, at least one, each with an amount for all."""
    known = all(
        field in KIND_OF_FIELD and (bot is None or (bot and field in budget))
        for field, bot in map(split_budget_key, budget)
    )
    return bool(budget) and known


def budget_label(budget: Mapping[str, int]) -> str:
    """Return a budget for a division's label, such as ``100ms`` or ``100ms,v17=200ms``."""
    words = []
    for key in sorted(budget):
        field, bot = split_budget_key(key)
        word = BUDGETS[KIND_OF_FIELD[field]].label.format(budget[key])
        words.append(word if bot is None else f"{bot}={word}")
    return ",".join(words)
