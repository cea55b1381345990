"""Budgets of a move: time, simulations, nodes or depth.

This is separate from the protocol, so that a change of messages or deadlines changes no player's
identity.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

import msgspec

BudgetKind = Literal["time", "simulations", "nodes", "depth", "any"]
"""A kind of budget as listed in a bot's hello; ``any`` means all others."""


class BudgetForm(NamedTuple):
    """How a kind of budget is written."""

    field: str
    """Key in messages, divisions and exports."""
    label: str
    """Format in the label of a division."""
    phrase: str
    """Format in a sentence."""


BUDGETS: Mapping[BudgetKind, BudgetForm] = MappingProxyType(
    {
        "time": BudgetForm("time_ms", "{}ms", "{} ms"),
        "simulations": BudgetForm("simulations", "{}sims", "{} simulations"),
        "nodes": BudgetForm("nodes", "{}nodes", "{} nodes"),
        "depth": BudgetForm("depth", "depth{}", "depth {}"),
    }
)
"""All kinds of budget."""
KIND_OF_FIELD: Mapping[str, BudgetKind] = MappingProxyType(
    {form.field: kind for kind, form in BUDGETS.items()}
)
"""The kinds by key, in the same order."""


class Budget(msgspec.Struct, frozen=True, omit_defaults=True):
    """The budget of one move: exactly one of the four fields.

    Raises:
        ValueError: not exactly one field is given, or its number is below 1.

    """

    time_ms: int | None = None
    """Wall-clock time in milliseconds."""
    simulations: int | None = None
    """Number of new simulations of a tree search."""
    nodes: int | None = None
    """Number of positions visited by an alpha-beta search."""
    depth: int | None = None
    """Depth of an alpha-beta search in plies."""

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
        """Return a budget of a kind other than ``any``, with the amount in the kind's unit."""
        return cls(**{BUDGETS[kind].field: amount})

    @property
    def kind(self) -> BudgetKind:
        """The kind of budget as listed in a bot's hello."""
        return next(
            kind for field, kind in KIND_OF_FIELD.items() if getattr(self, field) is not None
        )

    @property
    def amount(self) -> int:
        """The amount in milliseconds, simulations, nodes or plies."""
        return self.time_ms or self.simulations or self.nodes or self.depth or 0
