"""`ladder games`: stored games by who played, how they ended, and when."""

from typing import Annotated

from ladder.cli.completion import bot_names
from ladder.cli.database import open_to_read
from ladder.cli.options import (
    DEFAULT_DATABASE,
    LARGEST_KEY,
    MOST_GAMES,
    PANEL_GAMES,
    PANEL_OUTPUT,
    Database,
    Json,
    Since,
    flag,
    option,
    whole,
)
from ladder.cli.output import show_table
from ladder.cli.parsing import parse_plies, parse_since
from ladder.errors import UsageError
from ladder.results.overview.game_filter import GameFilter
from ladder.results.overview.game_words import ENDINGS, FORFEIT, BotResult, Mover
from reports.games import games_document, print_games

PANEL_PLAYERS = "Who played"
PANEL_GAME = "How the game went"


def games(
    bot: Annotated[
        str | None, option("A", "Only games of bot A.", PANEL_PLAYERS, autocompletion=bot_names)
    ] = None,
    opponent: Annotated[
        str | None,
        option(
            "B", "With --bot: only games against bot B.", PANEL_PLAYERS, autocompletion=bot_names
        ),
    ] = None,
    side: Annotated[
        Mover | None,
        option(None, "With --bot: only games in which A moved first, or second.", PANEL_PLAYERS),
    ] = None,
    won: Annotated[bool, flag("--won", "With --bot: only games that A won.", PANEL_GAME)] = False,
    lost: Annotated[
        bool, flag("--lost", "With --bot: only games that A lost.", PANEL_GAME)
    ] = False,
    drawn: Annotated[bool, flag("--drawn", "Only drawn games.", PANEL_GAME)] = False,
    forfeit: Annotated[
        bool,
        flag(
            "--forfeit",
            "Only games that a bot lost by failing; short for --ending forfeit.",
            PANEL_GAME,
        ),
    ] = False,
    ending: Annotated[
        str | None,
        option(
            "WORD",
            f"Only games with this ending: {', '.join(ENDINGS)} (forfeit: of any kind).",
            PANEL_GAME,
        ),
    ] = None,
    plies: Annotated[
        str | None,
        option(
            "MIN..MAX",
            "Only games of this length, the opening included: 20..30, 20.., ..30 or 20.",
            PANEL_GAME,
        ),
    ] = None,
    upsets: Annotated[
        bool,
        flag(
            "--upsets",
            "Only wins of a bot whose expected score was a quarter of a point or less.",
            PANEL_GAME,
        ),
    ] = False,
    board: Annotated[
        str | None,
        option(
            "BOARD",
            "Only games on this board, or on boards of this class, such as thu.",
            PANEL_GAMES,
        ),
    ] = None,
    division: Annotated[
        str | None,
        option(
            "NAME",
            "Only games of this division: its number, its label or the beginning of one.",
            PANEL_GAMES,
        ),
    ] = None,
    run: Annotated[
        int | None,
        whole(
            "R", LARGEST_KEY, "Only games of this run, by its number in `ladder runs`.", PANEL_GAMES
        ),
    ] = None,
    since: Since = None,
    limit: Annotated[int, whole("N", MOST_GAMES, "Most games to list.", PANEL_OUTPUT)] = 20,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """List stored games with their numbers, the newest first.

    Only games that meet all given conditions are listed; `ladder replay NUMBER` shows one of them.
    """
    results = {BotResult.WON: won, BotResult.LOST: lost, BotResult.DRAWN: drawn}
    asked = [result for result, wanted in results.items() if wanted]
    if len(asked) > 1:
        raise UsageError("--won, --lost and --drawn contradict each other: give one of them")
    if bot is None and (opponent is not None or side is not None or won or lost):
        raise UsageError("--opponent, --side, --won and --lost need a bot: name it with --bot")
    if forfeit and ending not in (None, FORFEIT):
        raise UsageError("--forfeit and --ending contradict each other: give one of them")
    shortest, longest = (None, None) if plies is None else parse_plies(plies)
    conditions = GameFilter(
        bot=bot,
        opponent=opponent,
        result=asked[0] if asked else None,
        side=side,
        ending=FORFEIT if forfeit else ending,
        board=board,
        shortest=shortest,
        longest=longest,
        run=run,
        division=division,
        since=None if since is None else parse_since(since),
        upsets=upsets,
    )
    with open_to_read(db) as store:
        found = store.games.newest(conditions.query(store), limit)
    show_table(found, games_document, print_games, json=json)
    return 0
