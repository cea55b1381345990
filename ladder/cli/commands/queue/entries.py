"""`ladder queue list|show|cancel|pause|resume|first`: the experiments of the queue."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.options import (
    DEFAULT_DATABASE,
    LARGEST_KEY,
    Database,
    Json,
    argument,
    flag,
    whole_number,
)

if TYPE_CHECKING:
    from db.records.queue import EntryRow
    from db.store import Store
    from ladder.queue.cost import Workload
    from ladder.queue.outlook import ReadCommand

ENDED_SHOWN = 20

Entry = Annotated[
    int,
    argument(
        "ID",
        "Number of the experiment, as `ladder queue list` shows it.",
        parser=whole_number(1, LARGEST_KEY),
    ),
]


def workloads_reader(context: typer.Context) -> "ReadCommand":
    """Return a function that returns what a command line plays.

    Args:
        context: the context of any command of the program.

    """

    def read(words: Sequence[str]) -> "Sequence[Workload]":
        from ladder.cli.commands.queue.form import QueueForms  # loads most of the program

        return QueueForms(context).workloads(words)

    return read


def list_(
    context: typer.Context,
    *,
    every: Annotated[
        bool, flag("--all", f"List all that have ended, not only the latest {ENDED_SHOWN}.")
    ] = False,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """List the experiments that are played, that wait, and that have ended."""
    from ladder.cli.database import open_to_read
    from ladder.cli.output import show_table
    from ladder.queue.outlook import find_outlooks
    from reports.queue import jobs_document, print_jobs

    with open_to_read(db) as store:
        ended = None if every else ENDED_SHOWN
        outlooks = find_outlooks(store, workloads_reader(context), ended=ended)
    show_table(outlooks, jobs_document, print_jobs, json=json)
    return 0


def show(
    context: typer.Context, entry: Entry, *, db: Database = DEFAULT_DATABASE, json: Json = False
) -> int:
    """Show an experiment: its command, who asked for it, its run and its result."""
    from ladder.cli.database import open_to_read
    from ladder.cli.output import print_result
    from ladder.queue.outlook import find_outlook
    from reports.queue import job_document, job_text

    with open_to_read(db) as store:
        outlook = find_outlook(store, entry, workloads_reader(context))
    return print_result(outlook, job_document, job_text, json=json)


def cancel(
    context: typer.Context, entry: Entry, *, db: Database = DEFAULT_DATABASE, json: Json = False
) -> int:
    """Cancel an experiment for good. Its games stay stored."""
    return _change(context, db, entry, lambda store: store.queue.cancel(entry), json=json)


def pause(
    context: typer.Context, entry: Entry, *, db: Database = DEFAULT_DATABASE, json: Json = False
) -> int:
    """Stop an experiment, or keep it from starting, until it is resumed."""
    return _change(context, db, entry, lambda store: store.queue.pause(entry), json=json)


def resume(
    context: typer.Context, entry: Entry, *, db: Database = DEFAULT_DATABASE, json: Json = False
) -> int:
    """Let a paused experiment wait for its turn again; its games count."""
    return _change(context, db, entry, lambda store: store.queue.resume(entry), json=json)


def first(
    context: typer.Context, entry: Entry, *, db: Database = DEFAULT_DATABASE, json: Json = False
) -> int:
    """Put an experiment before all others of its priority."""
    return _change(context, db, entry, lambda store: store.queue.put_first(entry), json=json)


def _change(
    context: typer.Context,
    db: str,
    entry_id: int,
    change: "Callable[[Store], EntryRow]",
    *,
    json: bool,
) -> int:
    """Change an experiment and print its new state."""
    from ladder.cli.database import open_store
    from ladder.cli.output import print_result
    from ladder.queue.jobs import release_orphans
    from ladder.queue.outlook import find_outlook
    from reports.queue import changed_text, job_document

    with open_store(db, create=False) as store:
        release_orphans(store)
        change(store)
        outlook = find_outlook(store, entry_id, workloads_reader(context))
        return print_result(outlook, job_document, changed_text, json=json)
