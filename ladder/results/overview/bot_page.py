"""The data of a bot's page."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from db.records.bots import BotRow
from db.records.games import GameQuery, GameRow
from db.records.runs import DivisionRow
from db.store import Store
from engine.result import Result
from ladder.registry.builtins import is_catalogue_bot
from ladder.registry.same_bot import stored_files
from ladder.registry.specs.archive_diff import FileDiff, diff_files
from ladder.results.overview.games import search
from ladder.results.standings.against import compare_with_opponents
from ladder.results.standings.division import read_division, standings_of_division
from ladder.results.standings.head_to_head import HeadToHead
from ladder.results.standings.lineage import LineVersion, line_of
from ladder.results.standings.pool import RatedMoment, rating_history
from ladder.results.standings.standings import BotStanding, select_bots

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
    line: Sequence[LineVersion]
    """Its versions; empty without rated games."""
    opponents: Sequence[HeadToHead]
    forfeits: Sequence[GameRow]
    """Its latest forfeits in any division, with the last output."""
    games: Sequence[GameRow]


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
    standing, line, opponents, moments = None, [], [], []
    if chosen is not None:
        games = read_division(store, chosen)
        standings = select_bots(standings_of_division(store, games, with_others=False))
        standing = next((bot for bot in standings.bots if bot.name == name), None)
    if chosen is not None and standing is not None:
        line = line_of(store, name, standings)
        opponents = list(compare_with_opponents(games, name).opponents)
        slices = store.aggregate.slices(chosen.id)
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
        line=line,
        opponents=opponents,
        forfeits=store.games.get_many(game.id for game in lost)[::-1],
        games=found.games,
    )


def read_changed_files(store: Store, name: str) -> tuple[BotRow, list[FileDiff] | None]:
    """Return a bot, and the files in which it differs from its parent; None if that is unknown.

    Raises:
        UnknownRow: there is no such bot.
        UsageError: stored files are damaged, or there is no room to unpack them.

    """
    rows = {row.name: row for row in store.bots.all(include_retired=True)}
    row = rows[name] if name in rows else store.bots.get(name)
    parent = rows.get(row.based_on or "")
    before = None if parent is None else stored_files(store, parent)
    after = stored_files(store, row)
    if before is None or after is None:
        return row, None
    return row, diff_files(before, after)


def bot_groups(bots: Iterable[BotRow], played: Collection[str]) -> dict[str, list[str]]:
    """Return names by group: bots with games, bots without, retired bots.

    Within a group, the user's own bots come before built-in players.

    Args:
        bots: all bots; the order is kept within each part of a group.
        played: names of bots with games.

    """
    groups: dict[str, list[str]] = {"With games": [], "Without games": [], "Retired": []}
    for bot in sorted(bots, key=is_catalogue_bot):
        is_retired = bot.retired_at is not None
        label = "With games" if bot.name in played else "Without games"
        groups["Retired" if is_retired else label].append(bot.name)
    return {label: names for label, names in groups.items() if names}
