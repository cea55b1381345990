"""`ladder suite`: positions with exactly one right move, made and put to bots."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.completion import bot_names
from ladder.cli.help import HelpGroup
from ladder.cli.options import (
    DEFAULT_DATABASE,
    MOST_PLIES,
    MOST_WORK,
    Boards,
    Database,
    Json,
    Seed,
)
from ladder.cli.run_options import BotOptions, takes_options

if TYPE_CHECKING:
    from ladder.runs.budgets import Budgets

app = typer.Typer(
    cls=HelpGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Positions with one right move, made and put to bots.",
)


@app.callback()
def suite() -> None:
    """Positions with one right move, made and put to bots."""


@app.command("make")
def make(
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Is written, or replaced.")],
    count: Annotated[
        int, typer.Option(metavar="N", min=1, max=100_000, help="How many positions.")
    ] = 200,
    boards: Boards = "standard",
    stored: Annotated[
        bool,
        typer.Option("--stored", help="From stored games instead of careless ones played here."),
    ] = False,
    division: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Of --stored: number or label. [default: of the latest run]"
        ),
    ] = None,
    nodes: Annotated[
        int,
        typer.Option(metavar="N", min=1, max=MOST_WORK, help="Of the solver for one position."),
    ] = 50_000,
    seed: Seed = None,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """Find positions in which exactly one move keeps the result, as the solver proves.

    Ctrl-C ends it (exit code 130) and writes what was found.
    """
    from ladder.checked_stream import write_file
    from ladder.cli.database import open_to_read
    from ladder.cli.output import check_writable, print_error, print_out
    from ladder.cli.parsing import boards_of
    from ladder.errors import ExitCode, UsageError
    from ladder.experiments.suite.make import Mining, careless_games, mine, stored_games
    from ladder.experiments.suite.puzzle import text_of
    from ladder.results.standings.division import division_or_latest
    from ladder.signals import is_stop_wished, stops_heeded
    from reports.layout.format import to_json
    from reports.layout.progress import at_intervals
    from reports.suite import mining_document, mining_text

    if division is not None and not stored:
        raise UsageError("--division says whose games --stored takes: give both")
    classes = boards_of(boards)
    check_writable(file, "FILE")
    state, say = Mining(count), at_intervals(print_error)
    with stops_heeded():

        def tick(now: Mining) -> None:
            say(f"{now.found} of {now.count} positions, {now.games} games looked at")

        if stored:
            with open_to_read(db) as store:
                games = stored_games(store, division_or_latest(store, division))
                found = list(mine(games, state, nodes=nodes, is_stopped=is_stop_wished, tick=tick))
        else:
            games = careless_games(classes, 1 if seed is None else seed)
            found = list(mine(games, state, nodes=nodes, is_stopped=is_stop_wished, tick=tick))
    if not found and not is_stop_wished():
        raise UsageError("no such position was found in these games: play more of them")
    write_file(file, text_of(found), "FILE")
    if json:
        print_out(to_json(mining_document(str(file), state)))
    else:
        print_out(mining_text(str(file), state))
    return ExitCode.STOPPED if is_stop_wished() else ExitCode.DONE


@app.command("run")
@takes_options
def run(
    *,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT... FILE",
            help="Registered bots, and last a suite: a file, standard or forbidden.",
            autocompletion=bot_names,
        ),
    ],
    time: Annotated[
        str | None,
        typer.Option(metavar="T,...", help="Times of a move: 10ms,100ms. [default: 10ms,100ms]"),
    ] = None,
    simulations: Annotated[
        str | None, typer.Option(metavar="N,...", help="Simulations of a move instead.")
    ] = None,
    nodes: Annotated[
        str | None, typer.Option(metavar="N,...", help="Positions of a move instead.")
    ] = None,
    depth: Annotated[
        str | None, typer.Option(metavar="N,...", help="Plies to look ahead instead.")
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Stored results: exit 3 when a bot solves fewer, beyond chance."
        ),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Store the results as a baseline.")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the results as JUnit XML.")
    ] = None,
    options: BotOptions,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """Put the positions of a suite to bots, which each play one move in a new game.

    Exit codes: 0 done, 2 bad input, 3 a bot solves fewer than --baseline by more than chance,
    130 stopped by Ctrl-C.
    """
    from ladder.checked_stream import write_file
    from ladder.cli.database import open_or_imagine
    from ladder.cli.output import check_writable, print_error, print_out, show_table
    from ladder.errors import ExitCode, UsageError
    from ladder.experiments.suite.baseline import compare, read_baseline
    from ladder.experiments.suite.puzzle import read_suite
    from ladder.experiments.suite.run import leave_out_unfit, run_suite
    from ladder.match.registry.registered import choose_bots
    from ladder.signals import is_stop_wished, stops_heeded
    from reports.layout.format import to_json
    from reports.layout.progress import at_intervals
    from reports.suite import print_suite, suite_document, suite_junit

    confinement = options.confinement()
    *names, file = words
    if not names:
        raise UsageError("name a bot and a suite, such as `ladder suite run v12 standard`")
    budgets = _budgets(time, {"simulations": simulations, "nodes": nodes, "depth": depth})
    check_writable(save, "--save")
    check_writable(junit, "--junit")
    known = None if baseline is None else read_baseline(baseline)
    say = at_intervals(print_error)
    found = read_suite(file, lambda done, of: say(f"{done} of {of} positions checked"))
    with open_or_imagine(db) as store, stops_heeded():
        bots, left_out = leave_out_unfit(choose_bots(store, names), names, found, budgets)
        for reason in left_out.values():
            print_error(f"left out: {reason}")
        if not bots:
            raise UsageError("no bot is left to answer the suite: name one that can")
        result = run_suite(
            bots,
            found,
            budgets,
            confinement=confinement,
            is_stopped=is_stop_wished,
            tick=lambda name, done, of: say(f"{name}: {done} of {of} positions"),
        )
    if result is None:
        again = options.command_line()
        print_error(f"stopped: the answers so far are not reported; to start again: {again}")
        return ExitCode.STOPPED
    steps = () if known is None else compare(result, known)
    document = suite_document(result, steps, left_out)
    if save is not None:
        write_file(save, to_json(document), "--save")
    if junit is not None:
        write_file(junit, suite_junit(result, steps), "--junit")
    if json:
        print_out(to_json(document))
    else:
        show_table(lambda console: print_suite(console, result, steps))
    regressed = any(step.is_regression for step in steps)
    return ExitCode.REGRESSION if regressed else ExitCode.DONE


def _budgets(time: str | None, work: "dict[str, str | None]") -> "list[Budgets]":
    """The budgets of the options, from the smallest."""
    from ladder.cli.parsing import parse_time
    from ladder.errors import UsageError
    from ladder.runs.budgets import Budgets

    given = {name: text for name, text in work.items() if text is not None}
    if time is not None and given:
        raise UsageError("--time cannot be combined with --simulations, --nodes or --depth")
    if len(given) > 1:
        raise UsageError("give one of --simulations, --nodes and --depth")
    if not given:
        amounts = sorted({parse_time(word) for word in (time or "10ms,100ms").split(",")})
        return [Budgets({"time_ms": amount}) for amount in amounts]
    ((name, text),) = given.items()
    most = MOST_PLIES if name == "depth" else MOST_WORK
    found = set()
    for word in text.split(","):
        if not (word.strip().isascii() and word.strip().isdigit()):
            raise UsageError(f"--{name} is a list of whole numbers, got {text!r}")
        if not 1 <= int(word) <= most:
            raise UsageError(f"--{name} is a list of numbers from 1 to {most}, got {text!r}")
        found.add(int(word))
    return [Budgets({name: amount}) for amount in sorted(found)]
