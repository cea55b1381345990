"""`ladder games`: stored games by who played, how they ended, and when."""

from typing import Annotated

import typer

from ladder.cli.completion import bot_names
from ladder.cli.options import DEFAULT_DATABASE, LARGEST_KEY, MOST_GAMES, Database, Json


def games(
    bot: Annotated[
        str | None,
        typer.Option(metavar="A", help="Games in which A played.", autocompletion=bot_names),
    ] = None,
    opponent: Annotated[
        str | None,
        typer.Option(metavar="B", help="With --bot: against B.", autocompletion=bot_names),
    ] = None,
    won: Annotated[bool, typer.Option("--won", help="Games that A won.")] = False,
    lost: Annotated[bool, typer.Option("--lost", help="Games that A lost.")] = False,
    drawn: Annotated[bool, typer.Option("--drawn", help="Draws.")] = False,
    forfeit: Annotated[
        bool, typer.Option("--forfeit", help="Games that a bot lost by failing.")
    ] = False,
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
    from dataclasses import replace

    from db.records.games import GameQuery
    from engine.result import Result
    from ladder.cli.database import open_to_read
    from ladder.cli.output import print_out, show_table
    from ladder.cli.parsing import parse_since
    from ladder.errors import UsageError
    from reports.games import games_document, print_games
    from reports.layout.format import to_json

    results = {Result.WIN: won, Result.LOSS: lost, Result.DRAW: drawn}
    asked = [result for result, wanted in results.items() if wanted]
    if len(asked) > 1:
        raise UsageError("--won, --lost and --drawn contradict each other: give one of them")
    if bot is None and (opponent is not None or won or lost):
        raise UsageError("--opponent, --won and --lost are about the bot of --bot: name it")
    query = GameQuery(
        bot=bot,
        opponent=opponent,
        result=asked[0] if asked else None,
        forfeit=forfeit,
        since=None if since is None else parse_since(since),
        run_id=run,
    )
    with open_to_read(db) as store:
        if upsets:
            from ladder.results.standings.upsets import possible_upsets

            query = replace(query, won_by=possible_upsets(store))
        found = store.games.newest(query, limit)
    if json:
        print_out(to_json(games_document(found)))
    else:
        show_table(lambda console: print_games(console, found))
    return 0
