"""What a row of the catalogue is."""

import importlib
from dataclasses import dataclass, field
from typing import Any

from bots.player import PlayerFactory
from bots.protocol import BudgetKind


@dataclass(frozen=True, slots=True)
class Version:
    """One built-in player: a name, what it is based on, and the one thing that it changes."""

    name: str
    family: str
    based_on: str | None
    change: str
    """The one idea, in a sentence."""
    factory: str
    """``module:callable`` of a `PlayerFactory`; imported only when the player is built."""
    budgets: tuple[BudgetKind, ...]
    """In order of preference."""
    options: dict[str, Any] = field(default_factory=dict)
    """Keyword arguments of the factory that make this version: its differences."""
    hidden: bool = False
    """Kept out of lists and ladders (players of benchmarks)."""

    def load(self) -> PlayerFactory:
        """Import the player's code and return its factory, without this row's options applied."""
        module, _, name = self.factory.partition(":")
        factory: PlayerFactory = getattr(importlib.import_module(module), name)
        return factory
