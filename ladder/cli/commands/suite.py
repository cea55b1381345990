"""`ladder suite`: positions with exactly one right move, made and put to bots."""

from functools import partial
from pathlib import Path
from typing import Annotated

from typer import BadParameter

from db.records.bots import BotRow
from db.store import Store
from ladder.cli.completion import bot_names
from ladder.cli.database import open_or_preview, open_to_read
from ladder.cli.help import CommandGroup
from ladder.cli.options import (
    DEFAULT_DATABASE,
    MOST_PLIES,
    MOST_WORK,
    Database,
    Seed,
    Takes,
    Work,
    whole,
    whole_number,
)
from ladder.cli.output import (
    check_writable,
    print_error,
    print_finding_or_json,
    print_out,
    write_output,
)
from ladder.cli.parsing import parse_boards, parse_time
from ladder.cli.playing import plan_and_play
from ladder.cli.run_options import BotOptions
from ladder.errors import ExitCode, UsageError
from ladder.experiments.suite.make import Mining, careless_games, mine, stored_games
from ladder.experiments.suite.puzzle import read_suite, text_of
from ladder.experiments.suite.run import leave_out_unfit, run_suite
from ladder.match.process.cpus import crowded_text
from ladder.names import counted
from ladder.registry.entrants import choose_bots
from ladder.results.standings.division import division_or_latest
from ladder.runs.budgets import Budgets
from ladder.signals import current_stop
from reports.findings.finding import finding_junit
from reports.layout.format import to_json
from reports.layout.progress import at_intervals
from reports.suite import mining_document, mining_text, suite_finding

DEFAULT_TIMES = "10ms,100ms"
app = CommandGroup(help="Make positions with one right move; ask bots for it.")


@app.command("make")
def make(
    *,
    file: Path,
    count: Annotated[int, whole(1, 100_000)] = 200,
    boards: str = "standard",
    stored: bool = False,
    division: str | None = None,
    nodes: Work = 50_000,
    seed: Seed = 1,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """Write a file of positions in which exactly one move keeps the result.

    The solver proves each answer, on all CPUs at idle priority. Wins in one move and blocks of one
    are left out. Ctrl-C (exit code 130) writes the positions found so far.

    Arguments:
      FILE: File to write, replaced if it exists.

    Options:
      --count N: Number of positions.
      --stored: Search stored games instead of random games that are played for it.
      --division NAME: With --stored: division of the games, by number or label. [that of the latest
        run]
      --nodes N: Most positions that the solver searches for one of them.
      --seed N: Seed of the random games: the same seed repeats them.

    Example:
      ladder suite make mine.jsonl --boards 6x7 --count 200
    """
    if division is not None and not stored:
        raise UsageError("--division needs --stored: give both, or neither")
    classes = parse_boards(boards)
    check_writable(file, "FILE")
    state, say = Mining(count), at_intervals(print_error)
    mine_games = partial(
        mine,
        state=state,
        nodes=nodes,
        is_stopped=current_stop().is_requested,
        tick=lambda now: say(f"{now.found} of {now.count} positions found in {now.games} games"),
    )
    with current_stop().defer():
        if stored:
            with open_to_read(db) as store:
                found = list(mine_games(stored_games(store, division_or_latest(store, division))))
        else:
            found = list(mine_games(careless_games(classes, seed)))
    if not found and not current_stop().is_requested():
        raise UsageError(
            "no position with one right move was found in these games: play more of them"
        )
    write_output(file, [text_of(found)], "FILE", counted(len(found), "position"))
    if json:
        print_out(to_json(mining_document(str(file), state)))
    else:
        print_out(mining_text(state))
    return ExitCode.STOPPED if current_stop().is_requested() else ExitCode.DONE


@app.command("run")
def run(
    *,
    words: Annotated[list[str], Takes(autocompletion=bot_names)],
    time: str | None = None,
    simulations: str | None = None,
    nodes: str | None = None,
    depth: str | None = None,
    junit: Path | None = None,
    options: BotOptions,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """Count the positions of a suite that bots solve.

    Each bot is asked for one move in each position, as in a new game. The share of right answers is
    printed by theme, with 95 % errors.

    Exit codes: 0 done; 2 bad input; 130 stopped by Ctrl-C.

    Arguments:
      BOT... FILE: Registered bots, and last a suite: a file of `ladder suite make`, or one of the
        suites of this program, standard and forbidden (with a forbidden cell).

    Time or work per move:
      --time T,...: Times per move; each position is asked once with each. [10ms,100ms]
      --simulations N,...: Numbers of simulations per move instead of times.
      --nodes N,...: Numbers of positions searched per move instead of times.
      --depth N,...: Search depths in plies instead of times.

    Example:
      ladder suite run v12 standard --time 10ms,100ms
    """
    confinement = options.confinement()
    *names, file = words
    if not names:
        raise UsageError("name a bot and a suite, such as `ladder suite run v12 standard`")
    budgets = _budgets(time, {"simulations": simulations, "nodes": nodes, "depth": depth})
    check_writable(junit, "--junit")
    say = at_intervals(print_error)
    found = read_suite(file, lambda done, of: say(f"{done} of {of} positions checked"))

    def plan(store: Store) -> tuple[list[BotRow], dict[str, str]]:
        bots, left_out = leave_out_unfit(choose_bots(store, names, None), names, found, budgets)
        if not bots:
            reasons = "; ".join(left_out.values())
            raise UsageError(f"none of these bots can answer the suite: {reasons}")
        return bots, left_out

    def play(store: Store, planned: tuple[list[BotRow], dict[str, str]]) -> int:
        bots, left_out = planned
        for reason in left_out.values():
            print_error(f"left out: {reason}")
        if budgets[0].is_timed and (text := crowded_text(concurrency=1)):
            print_error(f"warning: {text}")
        with current_stop().defer():
            result = run_suite(
                store,
                bots,
                found,
                budgets,
                confinement=confinement,
                is_stopped=current_stop().is_requested,
                tick=lambda name, done, of: say(f"{name}: {done} of {of} positions"),
            )
        if result is None:
            again = options.command_line()
            print_error(
                f"stopped: no result, as the suite was not complete; start again with `{again}`"
            )
            return ExitCode.STOPPED
        finding = suite_finding(result, left_out)
        if junit is not None:
            write_output(junit, [finding_junit(finding)], "--junit", "the JUnit results")
        print_finding_or_json(finding, json=json)
        return ExitCode.DONE

    kept = {"words": [*names, str(Path(file).absolute()) if Path(file).is_file() else file]}
    opened = open_or_preview(db)
    return plan_and_play(opened, plan, play, context=options.context, in_job=lambda _: kept)


def _budgets(time: str | None, work: "dict[str, str | None]") -> "list[Budgets]":
    """Return the budgets of the options, the smallest first."""
    given = {name: text for name, text in work.items() if text is not None}
    if time is not None and given:
        raise UsageError("--time cannot be combined with --simulations, --nodes or --depth")
    if len(given) > 1:
        raise UsageError("give one of --simulations, --nodes and --depth")
    if not given:
        amounts = sorted({parse_time(word) for word in (time or DEFAULT_TIMES).split(",")})
        return [Budgets({"time_ms": amount}) for amount in amounts]
    ((name, text),) = given.items()
    most = MOST_PLIES if name == "depth" else MOST_WORK
    try:
        found = {whole_number(1, most)(word) for word in text.split(",")}
    except BadParameter:
        raise UsageError(
            f"--{name}: {text!r} is not a list of whole numbers from 1 to {most}"
        ) from None
    return [Budgets({name: amount}) for amount in sorted(found)]
