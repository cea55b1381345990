"""Forfeits by bot and kind, and the last words of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.result import FORFEITS
from ladder.standings.report_data import ShownGame
from ladder.standings.standings import BotStanding
from reports.html.tables import Cell, Table, columns, number
from reports.html.viewer import TEXT_LIMIT

WORDS_OF = 20
"""Forfeits whose last words are shown."""


@dataclass(frozen=True, slots=True)
class LastWords:
    """The last words of a failing bot and to it, as a figure."""

    game: int
    ply: int
    bot: str
    kind: str
    text: str


def failures_table(bots: Sequence[BotStanding]) -> Table:
    """A row per bot that forfeited, a column per kind."""
    failing = [bot for bot in bots if bot.all_forfeits]
    kinds = [reason.value for reason in FORFEITS]
    return Table(
        columns("bot", *(f"#{kind.replace('_', ' ')}" for kind in kinds), "#of games"),
        [
            (
                Cell(bot.name),
                *(number(bot.forfeits.get(kind, 0)) for kind in kinds),
                number(bot.games),
            )
            for bot in failing
        ],
    )


def last_words(games: Sequence[ShownGame]) -> list[LastWords]:
    """The latest forfeits among the games of a page."""
    failed = [shown.game for shown in games if shown.game.offender is not None]
    return [
        LastWords(
            game=game.id,
            ply=len(game.moves),
            bot=game.second if game.offender else game.first,
            kind=game.termination.value.replace("_", " "),
            text=game.detail[:TEXT_LIMIT] or "nothing was said",
        )
        for game in failed[:WORDS_OF]
    ]
