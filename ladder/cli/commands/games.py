"""`ladder games`: stored games by who played, how they ended, and when."""

from typing import Annotated

import typer

from ladder.cli.completion import bot_names
from ladder.cli.options import DEFAULT_DATABASE, LARGEST_KEY, MOST_GAMES, Database, Json
from ladder.results.overview.game_words import FORFEIT, Mover, Outcome

PANEL_GAME = "How the game went"


def games(
    bot: Annotated[
        str | None,
        typer.Option(metavar="A", help="Games in which A played.", autocompletion=bot_names),
    ] = None,
    opponent: Annotated[
        str | None,
        typer.Option(metavar="B", help="With --bot: against B.", autocompletion=bot_names),
    ] = None,
    side: Annotated[
        Mover | None, typer.Option(help="With --bot: whether A moved first or second.")
    ] = None,
    won: Annotated[bool, typer.Option("--won", help="Games that A won.")] = False,
    lost: Annotated[bool, typer.Option("--lost", help="Games that A lost.")] = False,
    drawn: Annotated[bool, typer.Option("--drawn", help="Draws.")] = False,
    forfeit: Annotated[
        bool,
        typer.Option("--forfeit", help="Games that a bot lost by failing: --ending forfeit."),
    ] = False,
    ending: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="Games that ended so, such as board_full or timeout.",
            rich_help_panel=PANEL_GAME,
        ),
    ] = None,
    plies: Annotated[
        str | None,
        typer.Option(
            metavar="MIN..MAX",
            help="Games of this length, the opening included: 20..30, 20.. or ..30.",
            rich_help_panel=PANEL_GAME,
        ),
    ] = None,
    board: Annotated[
        str | None,
        typer.Option(
            metavar="BOARD",
            help="Games on a board, or on those drawn from a class such as thu.",
            rich_help_panel=PANEL_GAME,
        ),
    ] = None,
    division: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Games of a division: its number, label or its beginning.",
            rich_help_panel=PANEL_GAME,
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Only games since 2026-11-20, 2026-11-20T18:00 or 12h."),
    ] = None,
    run: Annotated[
        int | None,
        typer.Option(
            metavar="R", min=1, max=LARGEST_KEY, help="Games of a run: `ladder runs` lists them."
        ),
    ] = None,
    upsets: Annotated[
        bool,
        typer.Option(
            "--upsets",
            help="Won by a bot that the rating list gave a quarter of the points or less.",
        ),
    ] = False,
    limit: Annotated[
        int, typer.Option(metavar="N", min=1, max=MOST_GAMES, help="At most N games.")
    ] = 20,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """List stored games with their numbers, the newest first."""
    from ladder.cli.database import open_to_read
    from ladder.cli.output import print_out, show_table
    from ladder.cli.parsing import parse_plies, parse_since
    from ladder.errors import UsageError
    from ladder.results.overview.game_filter import GameFilter
    from reports.games import games_document, print_games
    from reports.layout.format import to_json

    results = {Outcome.WON: won, Outcome.LOST: lost, Outcome.DRAWN: drawn}
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
    if json:
        print_out(to_json(games_document(found)))
    else:
        show_table(lambda console: print_games(console, found))
    return 0
