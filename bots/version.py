"""What a row of the catalogue is."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
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
    contents: Mapping[str, str] = field(default_factory=dict)
    """Options that may name a file: ``module:function`` that gives the option's text with the
    file's content in place of its name, see `settled`."""
    hidden: bool = False
    """Kept out of lists and ladders (players of benchmarks)."""

    def settled(self, options: Mapping[str, Any], folder: Path | None = None) -> dict[str, Any]:
        """Options that stand for themselves: no file can change what they mean.

        Args:
            options: of this player.
            folder: where relative paths begin; None: in the current folder.

        Raises:
            SpecError: a file is not there, or holds something else.

        """
        given = dict(options)
        for name in self.contents.keys() & given.keys():
            given[name] = _function(self.contents[name])(given[name], folder)
        return given

    def load(self) -> PlayerFactory:
        """Import the player's code and return its factory, without this row's options applied."""
        factory: PlayerFactory = _function(self.factory)
        return factory


def _function(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
