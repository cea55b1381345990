"""The cost that one move may have: the kinds of budget, and a budget of one of them.

Apart from the protocol, so that a change of its messages or deadlines is no change of any player.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

import msgspec

BudgetKind = Literal["time", "simulations", "nodes", "depth", "any"]
"""The words of a bot's hello; ``any``: it plays on each of the others."""


class BudgetForm(NamedTuple):
    """The texts of a kind of budget."""

    field: str
    """The key in messages, divisions and exports."""
    label: str
    """In the label of a division, with a place for the number."""
    phrase: str
    """In a sentence, with a place for the number."""


BUDGETS: Mapping[BudgetKind, BudgetForm] = MappingProxyType(
    {
        "time": BudgetForm("time_ms", "{}ms", "{} ms"),
        "simulations": BudgetForm("simulations", "{}sims", "{} simulations"),
        "nodes": BudgetForm("nodes", "{}nodes", "{} nodes"),
        "depth": BudgetForm("depth", "depth{}", "depth {}"),
    }
)
"""All kinds of budget; every other list of them is made from this one."""
KIND_OF_FIELD: Mapping[str, BudgetKind] = MappingProxyType(
    {form.field: kind for kind, form in BUDGETS.items()}
)
"""The kinds by their keys, in the same order."""


class Budget(msgspec.Struct, frozen=True, omit_defaults=True):
    """The cost that one move may have: exactly one of the four.

    Raises:
        ValueError: none or several are given, or a number below 1.

    """

    time_ms: int | None = None
    """Wall milliseconds."""
    simulations: int | None = None
    """New simulations of a tree search."""
    nodes: int | None = None
    """Positions visited by an alpha-beta search."""
    depth: int | None = None
    """Plies an alpha-beta search looks ahead."""

    def __post_init__(self) -> None:
        given = [
            v for v in (self.time_ms, self.simulations, self.nodes, self.depth) if v is not None
        ]
        if len(given) != 1 or given[0] < 1:
            raise ValueError(
                f"a budget is exactly one of {', '.join(KIND_OF_FIELD)}, and at least 1"
            )

    @classmethod
    def of(cls, kind: BudgetKind, amount: int) -> "Budget":
        """The budget of a kind other than ``any``; the amount in the kind's own unit."""
        return cls(**{BUDGETS[kind].field: amount})

    @property
    def kind(self) -> BudgetKind:
        """The word that a bot's hello uses for this budget."""
        return next(
            kind for field, kind in KIND_OF_FIELD.items() if getattr(self, field) is not None
        )

    @property
    def amount(self) -> int:
        """The number, in milliseconds, simulations, nodes or plies."""
        return self.time_ms or self.simulations or self.nodes or self.depth or 0
