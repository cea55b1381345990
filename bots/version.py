"""Rows of the catalogue, and a family's versions as a table of differences."""

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from bots.budget import BudgetKind
from bots.player import PlayerFactory


class Idea(NamedTuple):
    """A version's idea, for its readers; docs/players.md has all of them."""

    function: str
    """The function that holds it, as ``file:name``."""
    gain: str = ""
    """Elo against the version that it is based on, and where it was measured."""
    cost: str = ""
    """Its price in simulations, memory or work."""


@dataclass(frozen=True, slots=True)
class Version:
    """A built-in player: its name, the version it is based on, and the one change between them."""

    name: str
    family: str
    based_on: str | None
    change: str
    """The change, in one sentence."""
    factory: str
    """A `PlayerFactory` as ``module:callable``, imported when the player is built."""
    budgets: tuple[BudgetKind, ...]
    """In order of preference."""
    options: dict[str, Any] = field(default_factory=dict)
    """Keyword arguments of the factory."""
    contents: Mapping[str, str] = field(default_factory=dict)
    """Options that may name a file, with the ``module:function`` that replaces the name by the
    content."""
    behaviour: int = 1
    """Raised when the version decides otherwise, or plays at another speed, than before."""
    hidden: bool = False
    """Whether lists and ladders leave it out (players of benchmarks)."""
    settings: type | None = None
    """The dataclass of its options, None if it has none."""
    idea: Idea | None = None
    """Where the change is found and what it brought, None if no page leads to it."""

    def resolve_options(
        self, options: Mapping[str, Any], folder: Path | None = None
    ) -> dict[str, Any]:
        """Return the options with files replaced by their content, so they keep their meaning.

        Args:
            options: options of this player.
            folder: base of relative paths, None for the current folder.

        Raises:
            SpecError: a file does not exist or has invalid content.

        """
        given = dict(options)
        for name in self.contents.keys() & given.keys():
            given[name] = _function(self.contents[name])(given[name], folder)
        return given

    def load(self) -> PlayerFactory:
        """Import and return the factory, without this row's options."""
        factory: PlayerFactory = _function(self.factory)
        return factory


class Factory(NamedTuple):
    """A `PlayerFactory` and the dataclass of its options."""

    place: str
    """``module:callable``."""
    settings: type


class Row(NamedTuple):
    """A version in the table of its family, as differences from another."""

    name: str
    based_on: str | None
    change: str
    differences: dict[str, Any]
    """Fields of the family's settings, and ``player`` if the factory changes."""
    behaviour: int = 1
    """`Version.behaviour`."""
    idea: Idea | None = None


def compose(
    rows: tuple[Row, ...],
    *,
    family: str,
    players: Mapping[str, Factory],
    budgets: tuple[BudgetKind, ...],
    contents: Mapping[str, str] = MappingProxyType({}),
    bases: Iterable[Version] = (),
) -> tuple[Version, ...]:
    """Compose the catalogue's rows, each with its inherited options.

    Args:
        rows: the versions, each after the one it is based on.
        family: name of the family.
        players: the factories by a row's `player` (default ``""``). A version does not inherit the
            options that its own factory lacks.
        budgets: kinds of budget of all versions, in order of preference.
        contents: `Version.contents` of the versions that have such an option.
        bases: versions of another table that rows are based on.

    """
    composed: dict[str, dict[str, Any]] = {base.name: base.options for base in bases}
    versions = []
    for row in rows:
        inherited = composed[row.based_on] if row.based_on is not None else {}
        factory = players[row.differences.get("player", inherited.get("player", ""))]
        known = {"player", *(field.name for field in fields(factory.settings))}
        kept = {name: value for name, value in inherited.items() if name in known}
        options = {**kept, **row.differences}
        composed[row.name] = options
        versions.append(
            Version(
                row.name,
                family,
                row.based_on,
                row.change,
                factory.place,
                budgets,
                {name: value for name, value in options.items() if name != "player"},
                {name: function for name, function in contents.items() if name in options},
                row.behaviour,
                settings=factory.settings,
                idea=row.idea,
            )
        )
    return tuple(versions)


def _function(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
