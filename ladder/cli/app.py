"""All commands, and the defaults that they take from `ladder.toml`.

The command modules import only what describes their options; the work is imported when a command
runs, so that help answers at once.
"""

from functools import cache
from typing import Annotated, Any

import typer
from typer.main import get_command

from ladder.cli.commands import (
    analyze,
    bench,
    bisect,
    bots,
    compete,
    doctor,
    exchange,
    games,
    gate,
    match,
    openings,
    perft,
    play,
    queue,
    rate,
    replay,
    report,
    run,
    runs,
    select,
    serve,
    solve,
    stats,
    suite,
    train,
    tune,
    worker,
)
from ladder.cli.help import CommandGroup

SUMMARY = """A local Elo ladder and regression harness for Connect Four bots.

Bots play pairs of games, and ratings are computed from the stored games. Begin with `ladder run`,
then `ladder report`. `ladder COMMAND --help` explains a command and shows an example, and a
file ladder.toml in the current folder may hold defaults for all options."""

app = CommandGroup(
    help=SUMMARY,
    name="ladder",
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

PLAY = "Play and rate"
app.command("run", rich_help_panel=PLAY)(run.run)
app.command("match", rich_help_panel=PLAY)(match.match)
app.command("play", rich_help_panel=PLAY)(play.play)
app.command("report", rich_help_panel=PLAY)(report.report)
app.command("rate", rich_help_panel=PLAY)(rate.rate)
app.command("compete", rich_help_panel=PLAY)(compete.compete)

JUDGE = "Judge a change"
app.command("gate", rich_help_panel=JUDGE)(gate.gate)
app.command("select", rich_help_panel=JUDGE)(select.select)
app.command("bisect", rich_help_panel=JUDGE)(bisect.bisect)
app.command("tune", rich_help_panel=JUDGE)(tune.tune)
app.add_typer(suite.app, name="suite", rich_help_panel=JUDGE)
app.add_typer(stats.app, name="stats", rich_help_panel=JUDGE)

LOOK = "Look at runs and games"
app.command("serve", rich_help_panel=LOOK)(serve.serve)
app.add_typer(runs.app, name="runs", rich_help_panel=LOOK)
app.command("games", rich_help_panel=LOOK)(games.games)
app.command("replay", rich_help_panel=LOOK)(replay.replay)

EXACT = "Exact answers"
app.command("solve", rich_help_panel=EXACT)(solve.solve)
app.command("analyze", rich_help_panel=EXACT)(analyze.analyze)
app.add_typer(openings.app, name="openings", rich_help_panel=EXACT)
app.command("perft", rich_help_panel=EXACT)(perft.perft)

BOTS = "Bots and machines"
app.add_typer(bots.app, name="bots", rich_help_panel=BOTS)
app.add_typer(train.app, name="train", rich_help_panel=BOTS)
app.add_typer(queue.app, name="queue", rich_help_panel=BOTS)
app.command("worker", rich_help_panel=BOTS)(worker.worker)

CARE = "Care"
app.command("doctor", rich_help_panel=CARE)(doctor.doctor)
app.command("export", rich_help_panel=CARE)(exchange.export)
app.command("import", rich_help_panel=CARE)(exchange.import_)
app.add_typer(bench.app, name="bench", rich_help_panel=CARE)


def _print_version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        typer.echo(f"ladder {version('connect4-ladder')}")
        raise typer.Exit


@app.callback(help=SUMMARY)
def options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Read the defaults of `ladder.toml`, unless the caller has given others."""
    del version
    from pathlib import Path

    from ladder.cli.config import read_defaults

    if context.default_map is None:
        context.default_map = read_defaults(context.command, Path.cwd())


@cache
def parser() -> Any:
    """Return the parser of all commands, built once in a process."""
    return get_command(app)
