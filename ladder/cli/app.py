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
    cluster,
    compete,
    doctor,
    exchange,
    games,
    gate,
    match,
    openings,
    perft,
    play,
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
from ladder.cli.help import HelpGroup

app = typer.Typer(
    cls=HelpGroup,
    name="ladder",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,  # formatting help with Rich would double the time that it takes
    pretty_exceptions_enable=False,
    help="A local Elo ladder and regression harness for Connect Four bots.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("run")(run.run)
app.command("report")(report.report)
app.command("gate")(gate.gate)
app.command("bisect")(bisect.bisect)
app.command("select")(select.select)
app.command("match")(match.match)
app.command("compete")(compete.compete)
app.add_typer(bots.app, name="bots")
app.command("export")(exchange.export)
app.command("import")(exchange.import_)
app.command("rate")(rate.rate)
app.command("play")(play.play)
app.command("games")(games.games)
app.add_typer(runs.app, name="runs")
app.command("serve")(serve.serve)
app.command("worker")(worker.worker)
app.add_typer(cluster.app, name="cluster")
app.command("replay")(replay.replay)
app.command("solve")(solve.solve)
app.command("perft")(perft.perft)
app.add_typer(bench.app, name="bench")
app.add_typer(stats.app, name="stats")
app.add_typer(train.app, name="train")
app.command("tune")(tune.tune)
app.add_typer(openings.app, name="openings")
app.add_typer(suite.app, name="suite")
app.command("analyze")(analyze.analyze)
app.command("doctor")(doctor.doctor)


def _print_version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        typer.echo(f"ladder {version('connect4-ladder')}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """A local Elo ladder and regression harness for Connect Four bots."""
    del version
    from pathlib import Path

    from ladder.cli.config import read_defaults

    context.default_map = read_defaults(context.command, Path.cwd())


@cache
def parser() -> Any:
    """The parser of all commands, built from their options once in a process."""
    return get_command(app)
