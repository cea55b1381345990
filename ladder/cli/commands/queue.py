"""`ladder queue`: command lines that are played one after the other."""

import getpass
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from db.records.queue import JobRow
from db.store import Store
from ladder.cli.database import open_store, open_to_read
from ladder.cli.help import CommandGroup
from ladder.cli.options import DEFAULT_DATABASE, Database, Key, whole
from ladder.cli.output import print_error, print_out, print_result, print_table_or_json
from ladder.cli.playing import planning_only
from ladder.errors import ExitCode, Stopped, UsageError
from ladder.names import check_line
from ladder.queue.worker import QueueWorker, list_jobs
from ladder.signals import current_stop
from reports.layout.format import to_json
from reports.lists import job_document, job_text, jobs_document, print_jobs

COMMANDS = ("run", "match", "gate", "select", "tune", "bisect", "nightly", "suite run", "analyze")
"""The commands that can wait in the queue."""
MOST_JOBS = 100
POLL_S = 0.5

app = CommandGroup(help="Let commands wait in the database, and play them.")


@app.command("add", context_settings={"ignore_unknown_options": True})
def add(
    context: typer.Context,
    *,
    words: list[str],
    note: str = "",
    wait: bool = False,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """Put a command into the queue of the database.

    The command is checked as if it were started now, and refused if it could not start. Bots that
    it gives as specifications are stored now, and the job plays these: later edits do not matter.
    Options of `queue add` may stand anywhere; everything after -- belongs to the command. A worker
    (`ladder queue work`) plays it in this folder, or in its own where this one does not exist. A
    job with --new that is interrupted resumes the run that it has begun.

    Exit codes: 0 waiting; 2 bad input. With --wait: that of the command; 130 cancelled, or stopped
    by Ctrl-C, which leaves the job in the queue.

    Arguments:
      COMMAND...: Command line without `ladder`: run, match, gate, select, tune, bisect, nightly,
        suite run, analyze.

    Options:
      --note TEXT: Remark that the queue shows.
      --wait: Wait for the end, print the result, and exit with the command's code.

    Example:
      ladder queue add gate mybot --against v12
    """
    note = check_line(note, "--note")
    planned = _plan(context, words, db)
    with open_store(db, create=True, sync=True) as store:
        job = store.queue.add(planned, folder=str(Path.cwd()), author=_user(), note=note)
        if wait:
            return _wait(store, job, json=json)
    print_result(job, job_document, job_text, json=json)
    return ExitCode.DONE


def _plan(context: typer.Context, words: Sequence[str], db: str) -> list[str]:
    """Return the words of the job of a command line that could start now. Raises LadderError."""
    root: Any = context.find_root().command
    size = 2 if words[0] == "suite" else 1
    name = " ".join(words[:size])
    if name not in COMMANDS:
        raise UsageError(
            f"{name!r} cannot wait in the queue: give one of {', '.join(COMMANDS)}, with its "
            "arguments and options"
        )
    if any(word.partition("=")[0] == "--db" for word in words):
        raise UsageError("--db cannot stand in the queue: give it before the two dashes")
    with planning_only() as planned:
        root([*words, "--db", db], prog_name="ladder", standalone_mode=False)
    return planned


def _user() -> str:
    """Return the name of the user; in a container the number may have none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"


def _wait(store: Store, job: JobRow, *, json: bool) -> int:
    """Wait for the end of a job, print its result, and return its exit code.

    Raises:
        Stopped: the user has stopped the command; the job stays in the queue.

    """
    print_error(job_text(job))
    try:
        while not job.status.is_final:
            current_stop().pause(POLL_S)
            job = store.queue.get(job.id)
    except Stopped:
        print_error(f"job {job.id} stays in the queue: `ladder queue cancel {job.id}` cancels it")
        raise
    if json:
        print_out(to_json(job_document(job)))
    elif job.result:
        print_out(job.result)
    if job.exit_code is None:
        return ExitCode.STOPPED
    return ExitCode.INTERNAL if job.exit_code < 0 else job.exit_code


@app.command("list")
def list_(
    *,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """List the jobs, oldest first: those that wait, are played, and have ended.

    Example:
      ladder queue list
    """
    with open_to_read(db) as store:
        print_table_or_json(list_jobs(store), jobs_document, print_jobs, json=json)
    return ExitCode.DONE


@app.command("cancel")
def cancel(
    job: Key,
    *,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """Cancel a job for good; the games that it has played stay stored.

    Arguments:
      ID: Number of the job in `ladder queue list`.

    Example:
      ladder queue cancel 7
    """
    with open_store(db, create=False) as store:
        return print_result(store.queue.cancel(job), job_document, job_text, json=json)


@app.command("work")
def work(
    *,
    jobs: Annotated[int, whole(1, MOST_JOBS)] = 1,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Play the jobs of the queue, first in, first out, until Ctrl-C or SIGTERM.

    Each is its ordinary command in a process of its own. Several workers may play one queue. A job
    that is interrupted, even by a kill of its worker, waits again and is resumed.

    Options:
      --jobs N: Most jobs at a time; they divide the CPUs.

    Example:
      ladder queue work
    """
    with open_store(db, create=True, sync=True) as store:
        print_error(f"playing the queue, at most {jobs} {'job' if jobs == 1 else 'jobs'} at a time")
        QueueWorker(store=store, db=store.path or db, jobs=jobs, report=print_error).run()
    return ExitCode.DONE
