"""The present values of a player's options, those that its row leaves at their defaults included.

No player imports this file, so that it is no part of any player's identity.
"""

import importlib
from collections.abc import Mapping
from dataclasses import fields

from bots.catalogue import parse_player
from bots.options import read_options

SETTINGS = {
    "bots.uct.array.player:ArrayPlayer": "bots.uct.base_settings:BaseSettings",
    "bots.uct.tree.player:TreePlayer": "bots.uct.settings:Settings",
    "bots.learned.player:LearnedPlayer": "bots.learned.settings:LearnedSettings",
    "bots.uct.graph.player:GraphPlayer": "bots.uct.settings:Settings",
    "bots.uct.no_lookahead.player:NoLookaheadPlayer": (
        "bots.uct.no_lookahead.settings:NoLookaheadSettings"
    ),
    "bots.alphabeta.player:AlphaBetaPlayer": "bots.alphabeta.settings:Settings",
}
"""``module:class`` of the options of each factory; a factory that is not here takes no number."""

Value = bool | int | float | str


def option_values(player: str) -> Mapping[str, Value]:
    """Every option of a player by name, with its value in ``NAME`` or ``NAME?key=value``.

    Empty for a player without any number among its options.

    Raises:
        UnknownPlayer: the name is unknown.
        SpecError: an option is unknown, or its text cannot be read.

    """
    version, given = parse_player(player)
    place = SETTINGS.get(version.factory)
    if place is None:
        return {}
    module, _, name = place.partition(":")
    kind = getattr(importlib.import_module(module), name)
    settings = read_options(kind, {**version.options, **given})
    return {field.name: getattr(settings, field.name) for field in fields(kind)}
