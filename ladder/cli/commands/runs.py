"""`ladder runs`: the runs, matches and gates that were played."""

import sys

import typer

from ladder.cli.database import open_store, open_to_read
from ladder.cli.help import CommandGroup
from ladder.cli.options import DEFAULT_DATABASE, Database, Key
from ladder.cli.output import confirm, print_out, print_table_or_json
from ladder.cli.resume import command_of
from ladder.errors import UsageError
from ladder.experiments.stored import read_run
from ladder.runs.history import past_run, past_runs
from reports.findings.run import print_run, run_document
from reports.lists import print_runs, run_line, runs_document

app = CommandGroup(no_args_is_help=False, invoke_without_command=True)


@app.callback()
def runs(
    context: typer.Context,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """List runs, matches, gates and other experiments.

    The newest is first. Each line shows who played under which conditions, the number of games, the
    result and the note.

    Example:
      ladder runs
    """
    if context.invoked_subcommand is not None:
        _refuse_options_before(context)
        return 0
    with open_to_read(db) as store:
        found = past_runs(store)
    print_table_or_json(found, runs_document, print_runs, json=json)
    return 0


@app.command("show")
def show(
    context: typer.Context,
    run: Key,
    db: Database = DEFAULT_DATABASE,
    verbose: bool = False,
    json: bool = False,
) -> int:
    """Show a run: what was played, its result, its bots, forfeits, and how to repeat it.

    Arguments:
      ID: Number of the run, as `ladder runs` lists them.

    Example:
      ladder runs show 3
    """
    with open_to_read(db) as store:
        found = read_run(store, past_run(store, run))
    command = command_of(found.past.row, context)
    print_table_or_json(
        found,
        lambda stored: run_document(stored, command),
        lambda console, stored: print_run(console, stored, command, verbose=verbose),
        json=json,
    )
    return 0


@app.command("delete")
def delete(
    run: Key,
    yes: bool = False,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Delete a run with all its games, for good, and compute the ratings without them.

    Arguments:
      ID: Number of the run, as `ladder runs` lists them.

    Options:
      --yes: Delete without asking, as scripts need it.

    Example:
      ladder runs delete 3
    """
    with open_store(db, create=False) as store:
        line = run_line(past_run(store, run))
        if not yes:
            if not sys.stdin.isatty():
                raise UsageError(f"{line} would be deleted for good: confirm it with --yes")
            if not confirm(f"delete {line} for good?"):
                print_out("nothing was deleted")
                return 0
        games = store.runs.delete(run)
    print_out(f"run {run} and its {games} games are deleted; ratings are computed without them")
    return 0


def _refuse_options_before(context: typer.Context) -> None:
    """Refuse options in front of the subcommand, which would not see them."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if source is not None and source.name == "COMMANDLINE":
            word = context.invoked_subcommand
            raise UsageError(f"{parameter.opts[0]} must follow {word}: `ladder runs {word} ...`")
