"""The rows of the catalogue, and a family's versions as a table of differences."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from bots.budget import BudgetKind
from bots.player import PlayerFactory


@dataclass(frozen=True, slots=True)
class Version:
    """One built-in player: its name, the version below it, and the one change between them."""

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
    file's content in place of its name; `settled` applies it."""
    hidden: bool = False
    """Kept out of lists and ladders (players of benchmarks)."""

    def settled(self, options: Mapping[str, Any], folder: Path | None = None) -> dict[str, Any]:
        """Options that stand for themselves: no file can change their meaning.

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


class Row(NamedTuple):
    """One version in the table of its family: the version below it, the change, its values."""

    name: str
    based_on: str | None
    change: str
    differences: dict[str, Any]
    """Fields of the family's settings, and ``player`` where the machinery changes."""


def compose(
    rows: tuple[Row, ...],
    *,
    family: str,
    players: Mapping[str, str],
    budgets: tuple[BudgetKind, ...],
    contents: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Version, ...]:
    """The catalogue's rows: each with all options that it inherits.

    Args:
        rows: the versions, each below the one it is based on.
        family: of all of them.
        players: ``module:callable`` of the factories, by a row's `player`; ``""`` where it has
            none.
        budgets: kinds that all of them take, in order of preference.
        contents: `Version.contents` of the versions that have such an option.

    """
    composed: dict[str, dict[str, Any]] = {}
    versions = []
    for row in rows:
        inherited = composed[row.based_on] if row.based_on is not None else {}
        options = {**inherited, **row.differences}
        composed[row.name] = options
        versions.append(
            Version(
                row.name,
                family,
                row.based_on,
                row.change,
                players[options.get("player", "")],
                budgets,
                {name: value for name, value in options.items() if name != "player"},
                {name: function for name, function in contents.items() if name in options},
            )
        )
    return tuple(versions)


def _function(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
