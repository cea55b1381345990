"""The table of all built-in players; importing it loads no player and no compiler."""

from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

from bots.alphabeta.versions import ALPHABETA
from bots.budget import Budget
from bots.c4ai.versions import C4AI
from bots.errors import SpecError, UnknownPlayer
from bots.exact.versions import EXACT
from bots.learned.versions import LEARNED
from bots.options import ranges_of, read_options
from bots.player import Player, PlayerFactory
from bots.simple.versions import SIMPLE
from bots.uct.versions import COMPACT, ROLLOUTS, UCT
from bots.version import Version
from engine.board import Board

Value = bool | int | float | str
"""The value of an option."""
VERSIONS: Mapping[str, Version] = MappingProxyType(
    {
        version.name: version
        for version in (*SIMPLE, *UCT, *LEARNED, *COMPACT, *ROLLOUTS, *ALPHABETA, *C4AI, *EXACT)
    }
)
"""All built-in players by name, in the order of lists."""


def find(name: str) -> Version:
    """Find the row of a player.

    Raises:
        UnknownPlayer: no built-in player has this name.

    """
    version = VERSIONS.get(name)
    if version is None:
        import difflib  # only for a mistake, and hosts load this module

        near = difflib.get_close_matches(name, VERSIONS, n=3) or list(VERSIONS)
        raise UnknownPlayer(f"no built-in player is called {name!r}: there are {', '.join(near)}")
    return version


def parse_player(text: str) -> tuple[Version, dict[str, str]]:
    """Parse a player and its options: ``NAME`` or ``NAME?key=value&key=value``.

    Raises:
        UnknownPlayer: the name is unknown.
        SpecError: the options cannot be parsed.

    """
    name, mark, query = text.partition("?")
    version = find(name)
    try:
        given = parse_qsl(query, strict_parsing=True) if mark else []
    except ValueError as error:
        raise SpecError(f"options of {name!r} are written ?key=value&key=value: {error}") from error
    options = dict(given)
    for option, _ in given:
        if [each for each, _ in given].count(option) > 1:
            raise SpecError(f"option {option!r} of {name!r} is given twice: give it once")
    return version, options


def with_options(player: str, options: Mapping[str, Any]) -> str:
    """Return a player, written as for `parse_player`, with these options added or replaced.

    Raises:
        UnknownPlayer: the name is unknown.
        SpecError: the options cannot be parsed.

    """
    version, given = parse_player(player)
    return f"{version.name}?{urlencode({**given, **options}, safe=',/')}"


def build(text: str, *, board: Board, side: int, seed: int, budget: Budget) -> Player:
    """Build a player for one game from ``NAME`` or ``NAME?key=value``.

    Raises:
        UnknownPlayer: the name is unknown.
        SpecError: the options cannot be parsed, or the player has no such option or budget.

    """
    version, factory, options = _recipe(text)
    if "any" not in version.budgets and budget.kind not in version.budgets:
        raise SpecError(
            f"{version.name} takes a budget of {' or '.join(version.budgets)}, not {budget.kind}"
        )
    return factory(board=board, side=side, seed=seed, budget=budget, **options)


def option_values(player: str) -> Mapping[str, Value]:
    """Return the values of all options of ``NAME`` or ``NAME?key=value``, by option.

    Raises:
        UnknownPlayer: the name is unknown.
        SpecError: an option cannot be parsed, or the player does not use it.

    """
    version, given = parse_player(player)
    if version.settings is None:
        if given:
            raise SpecError(f"there is no option {next(iter(given))!r}: {version.name} has none")
        return {}
    settings: Any = read_options(version.settings, {**version.options, **given})
    return {each.name: getattr(settings, each.name) for each in fields(version.settings)}


def option_ranges(player: str) -> Mapping[str, tuple[float, float]]:
    """Return the lowest and highest values of the numeric options of ``NAME?...``, by option.

    Raises:
        UnknownPlayer: the name is unknown.
        SpecError: the options cannot be parsed.

    """
    version, _ = parse_player(player)
    return {} if version.settings is None else ranges_of(version.settings)


@lru_cache(maxsize=64)
def _recipe(text: str) -> tuple[Version, PlayerFactory, Mapping[str, Any]]:
    """Return a player's row, factory and options; cached, as a host needs them for every game.

    Raises:
        UnknownPlayer: the name is unknown.
        SpecError: the options cannot be parsed.

    """
    version, _ = parse_player(text)
    return version, version.load(), option_values(text)
