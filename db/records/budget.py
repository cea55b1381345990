"""The budgets of a division: an amount per field, and odds, which are amounts of single bots.

With ``{"time_ms": 100, "time_ms@v17": 200}``, v17 has 200 ms per move and all others have 100. A
clock has the fields ``clock_ms`` and perhaps ``increment_ms``; the odds of a clock replace both.
``overage_ms`` stands beside ``time_ms``.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta

from bots.budget import BUDGETS, KIND_OF_FIELD, Budget, Clock
from bots.game_clock import GameClock

OF_BOT = "@"
"""Separates a field from a bot's name; no field contains it."""
TIME, CLOCK, INCREMENT, OVERAGE = "time_ms", "clock_ms", "increment_ms", "overage_ms"
MAIN_FIELDS = (*KIND_OF_FIELD, CLOCK)
"""The fields of which a budget has at least one."""
FIELDS = (*MAIN_FIELDS, INCREMENT, OVERAGE)
_KEY = rf"\A({'|'.join(FIELDS)})({OF_BOT}[A-Za-z0-9._@+-]{{1,100}})?\Z"
Amounts = Annotated[
    Mapping[Annotated[str, Meta(pattern=_KEY)], Annotated[int, Meta(gt=0, lt=1 << 53)]],
    Meta(min_length=1),
]
"""The amounts of a division by key."""


def budget_key(field: str, bot: str | None = None) -> str:
    """Return the key of an amount for all bots, or for one."""
    return field if bot is None else f"{field}{OF_BOT}{bot}"


def split_budget_key(key: str) -> tuple[str, str | None]:
    """Return the field and the bot of a key; None as the bot means all bots."""
    field, sign, bot = key.partition(OF_BOT)
    return field, bot if sign else None


def amount_for(budget: Mapping[str, int], field: str, bot: str | None) -> int | None:
    """Return a bot's amount of a field, or None if the division has none.

    Args:
        budget: the budget of a division.
        field: the field.
        bot: the bot; None for the amount of bots without odds.

    """
    own = budget.get(budget_key(field, bot))
    if own is not None or (field == INCREMENT and budget_key(CLOCK, bot) in budget):
        return own
    return budget.get(field)


def main_fields(budget: Mapping[str, int]) -> tuple[str, ...]:
    """Return the main fields of a budget, in order of preference."""
    return tuple(key for key in budget if key in MAIN_FIELDS)


def budget_of(budget: Mapping[str, int], field: str, bot: str | None) -> Budget:
    """Return the budget of a bot (None: of bots without odds) by a main field of a division."""
    amount = amount_for(budget, field, bot) or 0
    if field == CLOCK:
        return Budget(clock=Clock(amount, amount_for(budget, INCREMENT, bot) or 0))
    if field == TIME:
        return Budget(time_ms=amount, overage_ms=amount_for(budget, OVERAGE, bot))
    return Budget.of(KIND_OF_FIELD[field], amount)


def clock_of(budget: Mapping[str, int], bot: str | None) -> GameClock | None:
    """Return the clock of a bot at the beginning of a game; None under work budgets."""
    field = next((field for field in (TIME, CLOCK) if field in budget), None)
    return None if field is None else GameClock.of(budget_of(budget, field, bot))


def remaining_times(
    budget: Mapping[str, int], bots: tuple[str, str], times_us: Sequence[int], opening: int
) -> tuple[int, ...]:
    """Return what was left of the mover's clock or overage after each move, in microseconds.

    Args:
        budget: the budget of the division.
        bots: the first and the second player.
        times_us: times of the moves after the opening, in order.
        opening: number of plies of the opening.

    Returns:
        One number per move; empty if the budget has no clock and no overage.

    """
    clocks = [clock_of(budget, bot) for bot in bots]
    left_us: list[int] = []
    for ply, time_us in enumerate(times_us, opening):
        clock = clocks[ply % 2]
        if clock is None or (CLOCK not in budget and OVERAGE not in budget):
            return ()
        clock.spend(time_us)
        left_us.append(clock.bank_us)
    return tuple(left_us)


def move_limit_ms(budget: Mapping[str, int], bot: str | None) -> int | None:
    """Return the time that each move of a bot must keep to; None if there is no such time."""
    return None if OVERAGE in budget else amount_for(budget, TIME, bot)


def bots_with_odds(budget: Mapping[str, int]) -> tuple[str, ...]:
    """Return the bots with amounts of their own, in the order of the mapping."""
    named = (bot for _, bot in map(split_budget_key, budget) if bot is not None)
    return tuple(dict.fromkeys(named))


def rename_in_budget(budget: Mapping[str, int], names: Mapping[str, str]) -> dict[str, int]:
    """Return a budget with bots renamed; `names` maps old names to new ones."""
    parts = ((split_budget_key(key), amount) for key, amount in budget.items())
    return {
        budget_key(field, None if bot is None else names.get(bot, bot)): amount
        for (field, bot), amount in parts
    }


def is_valid_budget(budget: Mapping[str, int]) -> bool:
    """Return whether a budget has known fields only, and each has the fields that it needs."""
    fields = main_fields(budget)
    if not fields or (CLOCK in fields and len(fields) > 1):
        return False
    for field, bot in map(split_budget_key, budget):
        if field == INCREMENT:
            needed = budget_key(CLOCK, bot)
        elif field == OVERAGE and bot is None:
            needed = TIME
        else:
            needed = field
        if field not in FIELDS or bot == "" or needed not in budget:
            return False
    return True


def budget_label(budget: Mapping[str, int]) -> str:
    """Return a budget for a division's label, such as ``100ms`` or ``100ms,v17=200ms``."""
    words = []
    for field in sorted(main_fields(budget)):
        keys = (field, OVERAGE) if field == TIME else (field,)
        odds = sorted(
            {bot for key, bot in map(split_budget_key, budget) if bot is not None and key in keys}
        )
        words.append(format_budget(budget_of(budget, field, None)))
        words += [f"{bot}={format_budget(budget_of(budget, field, bot))}" for bot in odds]
    return ",".join(words)


def format_budget(budget: Budget) -> str:
    """Return the budget of a bot, such as ``100ms``, ``10s+100ms`` or ``100ms+overage60s``."""
    if budget.clock is not None:
        return format_clock(budget.clock)
    word = BUDGETS[budget.kind].label.format(budget.amount)
    return word if budget.overage_ms is None else f"{word}+overage{format_ms(budget.overage_ms)}"


def format_clock(clock: Clock) -> str:
    """Return a clock as the option `clock` takes it, such as ``10s+100ms``."""
    more = f"+{format_ms(clock.increment_ms)}" if clock.increment_ms else ""
    return f"{format_ms(clock.base_ms)}{more}"


def format_ms(milliseconds: int) -> str:
    """Return a time such as ``60s`` or ``1500ms``."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{milliseconds}ms" if rest else f"{seconds}s"
