"""The values of all options of a player, including defaults."""

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
"""Options class of each factory as ``module:class``; other factories have no numeric options."""

Value = bool | int | float | str


def option_values(player: str) -> Mapping[str, Value]:
    """Return the values of all options of ``NAME`` or ``NAME?key=value``, by option.

    Players without numeric options have none.

    Raises:
        UnknownPlayer: the name is unknown.
        SpecError: an option is unknown or cannot be parsed.

    """
    version, given = parse_player(player)
    place = SETTINGS.get(version.factory)
    if place is None:
        return {}
    module, _, name = place.partition(":")
    kind = getattr(importlib.import_module(module), name)
    settings = read_options(kind, {**version.options, **given})
    return {field.name: getattr(settings, field.name) for field in fields(kind)}
