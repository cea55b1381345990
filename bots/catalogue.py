"""All built-in players as one table. Importing it loads no player and no compiler."""

import difflib
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl

from bots.alphabeta.versions import ALPHABETA
from bots.budget import Budget
from bots.c4ai.versions import C4AI
from bots.errors import SpecError, UnknownPlayer
from bots.player import Player, PlayerFactory
from bots.simple.versions import SIMPLE
from bots.uct.versions import UCT
from bots.version import Version
from engine.board import Board

VERSIONS: Mapping[str, Version] = MappingProxyType(
    {version.name: version for version in (*SIMPLE, *UCT, *ALPHABETA, *C4AI)}
)
"""Every built-in player by name, in the order in which lists show them."""


def find(name: str) -> Version:
    """The row of a player.

    Raises:
        UnknownPlayer: there is none of that name.

    """
    version = VERSIONS.get(name)
    if version is None:
        near = difflib.get_close_matches(name, VERSIONS, n=3) or list(VERSIONS)
        raise UnknownPlayer(f"no built-in player is called {name!r}: there are {', '.join(near)}")
    return version


def parse_player(text: str) -> tuple[Version, dict[str, str]]:
    """A player and its options from ``NAME`` or ``NAME?key=value&key=value``.

    Raises:
        UnknownPlayer: the name is unknown.
        SpecError: the options cannot be read.

    """
    name, mark, query = text.partition("?")
    version = find(name)
    try:
        options = dict(parse_qsl(query, strict_parsing=True)) if mark else {}
    except ValueError as error:
        raise SpecError(f"options of {name!r} are written ?key=value&key=value: {error}") from error
    return version, options


def build(text: str, *, board: Board, side: int, seed: int, budget: Budget) -> Player:
    """A player for one game from ``NAME`` or ``NAME?key=value``.

    Raises:
        UnknownPlayer: the name is unknown.
        SpecError: the options cannot be read, or the player takes no such option or budget.

    """
    version, factory, given = _recipe(text)
    if "any" not in version.budgets and budget.kind not in version.budgets:
        raise SpecError(
            f"{version.name} takes a budget of {' or '.join(version.budgets)}, not {budget.kind}"
        )
    try:
        return factory(board=board, side=side, seed=seed, budget=budget, **given)
    except TypeError as error:
        if given != version.options:
            raise SpecError(f"{version.name} does not take these options: {error}") from error
        raise


@lru_cache(maxsize=64)
def _recipe(text: str) -> tuple[Version, PlayerFactory, Mapping[str, Any]]:
    """A player's row, its factory and all its options: a host builds one for every game.

    Raises:
        UnknownPlayer: the name is unknown.
        SpecError: the options cannot be read.

    """
    version, extra = parse_player(text)
    return version, version.load(), {**version.options, **extra}
