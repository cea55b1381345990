"""`ladder bench`: how fast the harness and the players are on this machine."""

from typing import Annotated

import typer

from ladder.cli.options import Json

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Measure speed.")


@app.callback()
def group() -> None:
    """Measure speed."""


@app.command("harness")
def harness(
    games: Annotated[int, typer.Option(metavar="N", help="How many games of 20 plies.")] = 2000,
    concurrency: Annotated[int, typer.Option(metavar="N", help="Pairs at the same time.")] = 1,
    json: Json = False,
) -> int:
    """Play null games: bots that answer at once, every pair committed to a database file."""
    from ladder.benchmark import bench_harness
    from ladder.cli.common import print_out
    from ladder.errors import UsageError
    from reports.documents import to_json

    if games < 4:
        raise UsageError(f"--games must be at least 4 to measure anything, got {games}")
    result = bench_harness(games=games, concurrency=concurrency)
    if json:
        print_out(to_json(result.document()))
    else:
        print_out(result.text())
    return 0
