"""Budgets: time, simulations, nodes or depth for each move, or a clock for a game."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import msgspec

BudgetKind = Literal["time", "simulations", "nodes", "depth", "clock", "overage", "any"]
"""A kind of budget as listed in a bot's hello. ``any`` means all but ``clock`` and ``overage``,
which a bot lists if it reads the remaining times."""


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
"""The kinds of budget of a single move."""
KIND_OF_FIELD: Mapping[str, BudgetKind] = MappingProxyType(
    {form.field: kind for kind, form in BUDGETS.items()}
)
"""The kinds by key, in the same order."""
HELLO_BUDGETS: tuple[BudgetKind, ...] = (*BUDGETS, "clock", "overage")
"""What the host of the built-in players supports."""


class Clock(msgspec.Struct, frozen=True):
    """A time for all moves of a game, and what each finished move adds to it."""

    base_ms: int
    increment_ms: int = 0


class RemainingTime(msgspec.Struct, frozen=True, omit_defaults=True):
    """The state of the clocks, sent with each question for a move."""

    yours_ms: int
    """What is left of the clock or of the overage of the bot that is asked."""
    theirs_ms: int
    """The same of its opponent."""
    move_ms: int
    """A fair time for this move (`bots.game_clock.GameClock.share_ms`)."""
    increment_ms: int = 0
    """What a clock gains by each move."""
    time_ms: int = 0
    """What each move has besides an overage."""


class Budget(msgspec.Struct, frozen=True, omit_defaults=True):
    """The budget of a bot: exactly one of time, simulations, nodes, depth and clock.

    Raises:
        ValueError: not exactly one of these is given, a number is below 1 (an increment: below 0),
            or an overage stands without a time.

    """

    time_ms: int | None = None
    """Wall-clock time of a move in milliseconds."""
    simulations: int | None = None
    """Number of new simulations of a tree search."""
    nodes: int | None = None
    """Number of positions visited by an alpha-beta search."""
    depth: int | None = None
    """Depth of an alpha-beta search in plies."""
    clock: Clock | None = None
    overage_ms: int | None = None
    """Time of a game for moves that take longer than `time_ms`."""

    def __post_init__(self) -> None:
        clock, overage = self.clock, self.overage_ms
        given = [
            v for v in (self.time_ms, self.simulations, self.nodes, self.depth) if v is not None
        ]
        if clock is not None:
            given.append(clock.base_ms)
        if len(given) != 1 or given[0] < 1 or (clock is not None and clock.increment_ms < 0):
            raise ValueError(
                f"a budget is exactly one of {', '.join(KIND_OF_FIELD)} and clock, and at least 1"
            )
        if overage is not None and (self.time_ms is None or overage < 1):
            raise ValueError("overage_ms needs time_ms, and is at least 1")

    @classmethod
    def of(cls, kind: BudgetKind, amount: int) -> "Budget":
        """Return a budget of a single move, with the amount in the kind's unit."""
        given: dict[str, Any] = {BUDGETS[kind].field: amount}
        return cls(**given)

    @property
    def kind(self) -> BudgetKind:
        """The kind of budget as listed in a bot's hello."""
        if self.clock is not None:
            return "clock"
        return next(
            kind for field, kind in KIND_OF_FIELD.items() if getattr(self, field) is not None
        )

    @property
    def amount(self) -> int:
        """The amount of a single move in milliseconds, simulations, nodes or plies."""
        return self.time_ms or self.simulations or self.nodes or self.depth or 0

    @property
    def is_timed(self) -> bool:
        """Whether it is a time, so that the results depend on the machine's speed."""
        return self.time_ms is not None or self.clock is not None

    @property
    def has_bank(self) -> bool:
        """Whether time passes from one move to the next, so that a bot has to manage it."""
        return self.clock is not None or self.overage_ms is not None
