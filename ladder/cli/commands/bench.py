"""`ladder bench`: how fast the harness and the players are on this machine."""

from typing import Annotated

import typer

from ladder.cli.help import HelpGroup
from ladder.cli.options import MOST_GAMES, MOST_WORKERS, Boards, Json

app = typer.Typer(cls=HelpGroup, no_args_is_help=True, rich_markup_mode=None, help="Measure speed.")


@app.callback()
def group() -> None:
    """Measure speed."""


@app.command("harness")
def harness(
    games: Annotated[
        int, typer.Option(metavar="N", min=4, max=MOST_GAMES, help="How many games of 20 plies.")
    ] = 2000,
    concurrency: Annotated[
        int, typer.Option(metavar="N", min=1, max=MOST_WORKERS, help="Pairs at the same time.")
    ] = 1,
    json: Json = False,
) -> int:
    """Play null games: bots that answer at once, every pair committed to a database file."""
    from ladder.cli.output import print_result
    from ladder.tools.bench.harness import bench_harness
    from reports.bench import harness_document, harness_text

    result = bench_harness(games=games, concurrency=concurrency)
    return print_result(result, harness_document, harness_text, json=json)


@app.command("search")
def search(
    bots: Annotated[
        str, typer.Option(metavar="LIST", help="Built-in players, names or patterns.")
    ] = "*",
    boards: Boards = "11x11@5,5",
    seconds: Annotated[float, typer.Option(metavar="S", help="Time of the measured move.")] = 2.0,
    json: Json = False,
) -> int:
    """Measure the players' searches: one long first move on an empty board, one after another."""
    from ladder.cli.output import print_out, show_table
    from ladder.cli.parsing import boards_of, names_of
    from ladder.errors import UsageError
    from ladder.match.specs.compile import compile_launches
    from ladder.match.specs.start_command import builtin_launch
    from ladder.tools.bench.search import (
        bench_search,
        choose_players,
    )
    from reports.bench import print_search, search_document
    from reports.layout.format import to_json

    if not 0.01 <= seconds <= 600:
        raise UsageError(f"--seconds must be 0.01 .. 600, got {seconds:g}")
    players = choose_players(names_of(bots))
    chosen = [entry.board for entry in boards_of(boards)]
    specific = [board for board in chosen if board is not None]
    if len(specific) != len(chosen):
        raise UsageError("--boards: thu is a family of boards; name one, such as 11x11@5,5")
    compile_launches(map(builtin_launch, players))
    speeds = list(bench_search(players, specific, seconds=seconds))
    if json:
        print_out(to_json(search_document(speeds)))
    else:
        show_table(lambda console: print_search(console, speeds))
    return 0
