"""Waiting for the end of an experiment of the queue."""

from db.records.queue import EntryRow, EntryState
from db.store import Store
from ladder.cli.output import print_error, print_out
from ladder.errors import ExitCode, Stopped
from ladder.queue.jobs import find_job
from ladder.queue.outlook import Outlook
from ladder.signals import current_stop
from reports.layout.format import to_json
from reports.queue import job_document

POLL_S = 0.5


def wait_for(store: Store, entry: EntryRow, *, json: bool) -> int:
    """Wait for the end of an experiment, print its result, and return its exit code.

    Raises:
        Stopped: the user has stopped the command; the experiment stays in the queue.

    """
    place = f"experiment {entry.id}"
    print_error(f"{place} is {entry.state.value}")
    try:
        while not entry.state.is_final:
            current_stop().pause(POLL_S)
            now = store.queue.get(entry.id)
            if now.state is not entry.state:
                print_error(f"{place} is {now.state.value}")
            entry = now
    except Stopped:
        print_error(f"{place} stays in the queue: `ladder queue cancel {entry.id}` cancels it")
        raise
    if json:
        print_out(to_json(job_document(Outlook(find_job(store, entry.id)))))
    elif entry.output:
        print_out(entry.output)
    if entry.message:
        print_error(entry.message)
    return exit_code_of(entry)


def exit_code_of(entry: EntryRow) -> int:
    """Return the exit code of an experiment that has ended.

    One that was cancelled counts as stopped, and one that was killed as a defect.
    """
    if entry.state is EntryState.CANCELLED:
        return ExitCode.STOPPED
    if entry.exit_code is None or entry.exit_code < 0:
        return ExitCode.INTERNAL
    return entry.exit_code
