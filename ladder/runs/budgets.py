"""The budgets of a run: an amount of each kind, and other amounts for single bots."""

from collections.abc import Mapping
from dataclasses import dataclass

from bots.budget import BUDGETS, KIND_OF_FIELD, Budget
from db.records.budget import amount_for, bots_with_odds, split_budget_key
from ladder.errors import UnfitBot, UsageError

MOST_MOVES = 72
"""Most moves of one side in a game, on the largest board."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """The budgets of a run: either time, or work budgets in order of preference."""

    amounts: Mapping[str, int]
    """``{"time_ms": 100}`` or some of ``simulations``, ``nodes``, ``depth``; amounts of single bots
    have keys as in `db.records.budget`."""

    def __post_init__(self) -> None:
        if not self.fields:
            raise UsageError("give a budget: time, or simulations, nodes or depth")
        if self.is_timed and len(self.fields) > 1:
            raise UsageError(
                "a time cannot be combined with simulations, nodes or a depth: leave one out",
                option="time",
            )

    @property
    def fields(self) -> tuple[str, ...]:
        """The kinds of budget as fields of `Budget`, in order of preference."""
        return tuple(key for key in self.amounts if split_budget_key(key)[1] is None)

    @property
    def is_timed(self) -> bool:
        """Whether moves are limited by the clock instead of by work."""
        return "time_ms" in self.amounts

    @property
    def bots_with_odds(self) -> tuple[str, ...]:
        """The bots that have amounts of their own."""
        return bots_with_odds(self.amounts)

    @property
    def longest_ms(self) -> int | None:
        """The longest time of any bot for a move; None under work budgets."""
        times = (
            each for key, each in self.amounts.items() if split_budget_key(key)[0] == "time_ms"
        )
        return max(times, default=None)

    def time_ms(self, name: str) -> int | None:
        """Return the time of a bot for a move; None under work budgets."""
        return amount_for(self.amounts, "time_ms", name)

    def refuse_unknown_bots(self, names: list[str]) -> None:
        """Refuse amounts for bots that do not play.

        Raises:
            UsageError: an amount names another bot.

        """
        for bot in self.bots_with_odds:
            if bot not in names:
                raise UsageError(
                    f"{bot} does not play in this run: name one of {', '.join(names)}",
                    option="time",
                )

    def for_bot(self, name: str, kinds: tuple[str, ...]) -> Budget:
        """Return the budget of a bot: the first kind that it supports.

        Args:
            name: The bot.
            kinds: The kinds of budget that it supports, such as ``time``, or ``any``.

        Raises:
            UnfitBot: the bot supports none of the kinds.

        """
        for field in self.fields:
            if KIND_OF_FIELD[field] in kinds or "any" in kinds:
                return Budget(**{field: amount_for(self.amounts, field, name)})
        given = ", ".join(KIND_OF_FIELD[field] for field in self.fields)
        raise UnfitBot(
            f"{name} plays on {' or '.join(kinds)}, not on {given}",
            "give a budget that it supports",
        )

    def __str__(self) -> str:
        words = []
        for key, amount in self.amounts.items():
            field, bot = split_budget_key(key)
            phrase = BUDGETS[KIND_OF_FIELD[field]].phrase.format(amount)
            words.append(phrase if bot is None else f"({bot} {phrase})")
        return " ".join(words)
