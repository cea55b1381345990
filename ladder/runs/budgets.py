"""The budgets of a run: an amount for each kind, others for single bots, and what a bot gets."""

from collections.abc import Mapping
from dataclasses import dataclass

from bots.budget import BUDGETS, KIND_OF_FIELD, Budget
from db.records.budget import amount_for, bots_with_odds, split_budget_key
from ladder.errors import UnfitBot, UsageError

MOST_MOVES = 72
"""Of one side, on the largest board."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """The whole set of budgets of a run: either time, or work budgets in order of preference."""

    amounts: Mapping[str, int]
    """``{"time_ms": 100}`` or some of ``simulations``, ``nodes``, ``depth``; and amounts of single
    bots as `db.records.budget` writes them."""

    def __post_init__(self) -> None:
        if not self.kinds:
            raise UsageError("give a budget: --time, or --simulations, --nodes, --depth")
        if "time_ms" in self.kinds and len(self.kinds) > 1:
            raise UsageError("--time cannot be combined with --simulations, --nodes or --depth")

    @property
    def kinds(self) -> tuple[str, ...]:
        """The keys of the kinds."""
        return tuple(key for key in self.amounts if split_budget_key(key)[1] is None)

    @property
    def odds(self) -> tuple[str, ...]:
        """The bots that have amounts of their own."""
        return bots_with_odds(self.amounts)

    @property
    def longest_ms(self) -> int | None:
        """The most wall time that a bot has for a move; None: none is given by the clock."""
        times = (
            each for key, each in self.amounts.items() if split_budget_key(key)[0] == "time_ms"
        )
        return max(times, default=None)

    def time_ms(self, name: str) -> int | None:
        """The wall time of a bot for a move; None: it is not given by the clock."""
        return amount_for(self.amounts, "time_ms", name)

    def refuse_strangers(self, names: list[str]) -> None:
        """Refuse amounts for bots that do not play.

        Raises:
            UsageError: there is one.

        """
        for bot in self.odds:
            if bot not in names:
                raise UsageError(
                    f"--time names {bot}, which does not play here: there are {', '.join(names)}"
                )

    def for_bot(self, name: str, kinds: tuple[str, ...]) -> Budget:
        """The budget of a bot: the first of these that it lists.

        Raises:
            UnfitBot: none of these serves the bot.

        """
        for field in self.kinds:
            if KIND_OF_FIELD[field] in kinds or "any" in kinds:
                return Budget(**{field: amount_for(self.amounts, field, name)})
        given = ", ".join(KIND_OF_FIELD[field] for field in self.kinds)
        raise UnfitBot(
            f"{name} plays on {', '.join(kinds)}, not on {given}", "add a budget that it knows"
        )

    def __str__(self) -> str:
        words = []
        for key, amount in self.amounts.items():
            field, bot = split_budget_key(key)
            phrase = BUDGETS[KIND_OF_FIELD[field]].phrase.format(amount)
            words.append(phrase if bot is None else f"({bot} {phrase})")
        return " ".join(words)
