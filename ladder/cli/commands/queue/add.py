"""`ladder queue add`: puts an experiment into the queue."""

from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.options import (
    DEFAULT_DATABASE,
    Database,
    Json,
    argument,
    flag,
    option,
    whole,
)

LARGEST_PRIORITY = 10


def add(
    context: typer.Context,
    *,
    words: Annotated[
        list[str],
        argument(
            "COMMAND...",
            "Experiment as on the command line: run, match, gate, select, tune, bisect, suite run "
            "or analyze, with their options.",
        ),
    ],
    priority: Annotated[
        int,
        whole(
            "N",
            LARGEST_PRIORITY,
            f"Priority from {-LARGEST_PRIORITY} to {LARGEST_PRIORITY}: each step doubles the share "
            "of the machines.",
            least=-LARGEST_PRIORITY,
        ),
    ] = 0,
    note: Annotated[str, option("TEXT", "Remark that the queue and the list of runs show.")] = "",
    author: Annotated[
        str | None,
        option(
            "NAME",
            "Author, among whom the machines are shared evenly.",
            None,
            "--as",
            show_default="your user name",
        ),
    ] = None,
    wait: Annotated[
        bool,
        flag(
            "--wait",
            "Wait for the end, print the result, and exit with the experiment's exit code.",
        ),
    ] = False,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """Put an experiment into the queue, with the files of its bots.

    The experiment is checked as if it were started now, and refused if it cannot start. Options of
    this command may stand anywhere, and everything after -- belongs to the experiment.

    A service that `ladder queue work` starts plays it. Then the files of the bots may have changed
    and this machine may be off. Only a tuned or bisected program and files that are named must be
    where they were.

    Exit codes: 0 waiting; 2 bad input. With --wait: that of the experiment; 130 cancelled, or
    stopped by Ctrl-C, which leaves the experiment in the queue.
    """
    import socket

    from ladder.cli.commands.queue.entries import workloads_reader
    from ladder.cli.commands.queue.experiment import check_experiment
    from ladder.cli.commands.queue.waiting import wait_for
    from ladder.cli.database import open_store
    from ladder.cli.output import print_error, print_result
    from ladder.names import check_line
    from ladder.queue.jobs import find_live_services
    from ladder.queue.outlook import find_outlook
    from ladder.queue.submission import Submission, submit
    from reports.queue import job_document, submitted_text

    note = check_line(note, "--note")
    author = check_line(_user() if author is None else author, "--as")
    experiment = check_experiment(context, words, db=db, note=note)
    with open_store(db, create=True, sync=True) as store:
        entry = submit(
            store,
            Submission(
                command=experiment.command,
                arguments=experiment.arguments(store),
                folder=str(Path.cwd()),
                author=author,
                host=socket.gethostname(),
                priority=priority,
                note=experiment.note,
            ),
            experiment.bots,
        )
        if not find_live_services(store):
            print_error("no service plays this queue now: `ladder queue work` starts one")
        if wait:
            return wait_for(store, entry, json=json)
        outlook = find_outlook(store, entry.id, workloads_reader(context))
        return print_result(outlook, job_document, submitted_text, json=json)


def _user() -> str:
    """Return the name of the user; in a container the number may have none."""
    import getpass
    import os

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"
