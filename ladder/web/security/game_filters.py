"""Conditions on games in an address."""

from dataclasses import fields

from ladder.results.overview.game_filter import GameFilter
from ladder.results.overview.game_words import Mover, Outcome
from ladder.web.security.moments import parse_moment
from ladder.web.security.parameters import Parameters

MOST_PLIES = 144
NAMES = tuple(field.name for field in fields(GameFilter))
"""The parameters that are conditions on games."""


def game_filter(given: Parameters) -> GameFilter:
    """Read the conditions of a request.

    Raises:
        Refused: a value is not valid.
        UsageError: no game can match the conditions.

    """
    since = given.text("since")
    return GameFilter(
        bot=given.text("bot"),
        opponent=given.text("opponent"),
        result=given.choice("result", Outcome),
        side=given.choice("side", Mover),
        ending=given.text("ending"),
        board=given.text("board"),
        shortest=given.number("shortest", high=MOST_PLIES),
        longest=given.number("longest", high=MOST_PLIES),
        run=given.number("run", low=1),
        division=given.text("division"),
        since=None if since is None else parse_moment(since),
        upsets=given.flag("upsets"),
    )
