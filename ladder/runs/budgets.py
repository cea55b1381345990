"""The budgets of a run: one amount for each kind, and the one that each bot gets."""

from collections.abc import Mapping
from dataclasses import dataclass

from bots.budget import BUDGETS, KIND_OF_FIELD, Budget
from ladder.errors import UsageError

MOST_MOVES = 72
"""Of one side, on the largest board."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """The whole set of budgets of a run: either time, or work budgets in order of preference."""

    amounts: Mapping[str, int]
    """``{"time_ms": 100}`` or some of ``simulations``, ``nodes``, ``depth``."""

    def __post_init__(self) -> None:
        if not self.amounts:
            raise UsageError("give a budget: --time, or --simulations, --nodes, --depth")
        if "time_ms" in self.amounts and len(self.amounts) > 1:
            raise UsageError("--time cannot be combined with --simulations, --nodes or --depth")

    def for_bot(self, name: str, kinds: tuple[str, ...]) -> Budget:
        """The budget of a bot: the first of these that it lists.

        Raises:
            UsageError: none of these serves the bot.

        """
        for field, amount in self.amounts.items():
            if KIND_OF_FIELD[field] in kinds or "any" in kinds:
                return Budget(**{field: amount})
        given = ", ".join(KIND_OF_FIELD[field] for field in self.amounts)
        raise UsageError(
            f"{name} plays on {', '.join(kinds)}, not on {given}: "
            "add a budget that it knows, or leave it out"
        )

    def __str__(self) -> str:
        return " ".join(
            BUDGETS[KIND_OF_FIELD[field]].phrase.format(amount)
            for field, amount in self.amounts.items()
        )
