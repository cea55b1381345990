"""The data of a bot's page."""

from collections.abc import Sequence
from dataclasses import dataclass

from db.records.bots import BotRow
from db.records.games import GameQuery, GameRow, GameSummary
from db.records.runs import DivisionRow
from db.store import Store
from engine.result import Result
from ladder.results.overview.overview import read_current_list
from ladder.results.overview.search import search
from ladder.results.standings.against import Opponent, compare_with_opponents
from ladder.results.standings.history import RatedMoment, rating_history
from ladder.results.standings.standings import BotStanding

FORFEITS_SHOWN = 5
GAMES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class BotPage:
    """What the page of a bot shows."""

    row: BotRow
    successors: Sequence[str]
    """The bots that are based on it."""
    divisions: Sequence[DivisionRow]
    division: DivisionRow | None
    standing: BotStanding | None
    """None if it has no rated games in the division."""
    history: Sequence[RatedMoment]
    opponents: Sequence[Opponent]
    forfeits: Sequence[GameRow]
    """Its latest forfeits in any division, with the last output."""
    games: Sequence[GameSummary]


def read_bot_page(store: Store, name: str, division: str | None) -> BotPage:
    """Read the data of a bot's page.

    Args:
        store: the open database.
        name: name of the bot.
        division: a number, label or beginning of one; None for that of its latest rated game, or
            of its latest game if none is rated.

    Raises:
        UnknownRow: there is no such bot or division.

    """
    row = store.bots.get(name)
    bots = store.bots.all(include_retired=True)
    found = search(store, GameQuery(bot=name), GAMES_SHOWN)
    divisions = store.divisions.all()
    chosen = None
    latest = store.games.newest(GameQuery(bot=name, rated=True), 1) or found.games[:1]
    if division is not None:
        chosen = store.divisions.find(division)
    elif latest:
        chosen = next(each for each in divisions if each.id == latest[0].division_id)
    standing, opponents, moments = None, [], []
    if chosen is not None:
        standings = read_current_list(store, chosen)
        standing = next((bot for bot in standings.bots if bot.name == name), None)
    if chosen is not None and standing is not None:
        opponents = list(compare_with_opponents(store, chosen, name).opponents)
        slices = store.history.slices(chosen.id)
        history = rating_history(slices, {bot.revision.id for bot in bots})
        moments = [moment for moment in history if moment.bot == name]
    forfeited = GameQuery(bot=name, forfeit=True, result=Result.LOSS)
    lost = store.games.newest(forfeited, FORFEITS_SHOWN)
    return BotPage(
        row=row,
        successors=[bot.name for bot in bots if bot.based_on == name],
        divisions=divisions,
        division=chosen,
        standing=standing,
        history=moments,
        opponents=opponents,
        forfeits=store.games.get_many(game.id for game in lost)[::-1],
        games=found.games,
    )
