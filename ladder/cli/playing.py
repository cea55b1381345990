"""Commands that play: each plans first what it plays, so that the queue can check it."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

import typer

from db.bots_only import storing_only_bots
from db.store import Store
from ladder.cli.database import is_missing, open_draft, open_store
from ladder.cli.output import stderr_console
from ladder.cli.resume import all_options, command_words
from ladder.cli.run_options import RunOptions
from ladder.errors import ExitCode
from ladder.experiments.engine import ExperimentContext
from reports.run import watcher_for

Plan = TypeVar("Plan")

MAY_BE_FILES = frozenset({"openings", "tls_ca_file", "tls_cert", "tls_key"})
"""Options that are texts and may name files."""
_job_words: ContextVar[list[str] | None] = ContextVar("job_words", default=None)


@contextmanager
def planning_only() -> Iterator[list[str]]:
    """Let the command that runs in the block end before it plays, and store nothing but bots.

    Yields:
        A list that then holds the words of its job, after ``ladder`` and without the database.
        Specifications are replaced by the names of the stored bots, so that a job never reads a
        bot's files again, and paths are absolute.

    """
    words: list[str] = []
    token = _job_words.set(words)
    try:
        with storing_only_bots():
            yield words
    finally:
        _job_words.reset(token)


def is_planning_only() -> bool:
    """Return whether the command ends before it plays, as when it enters the queue."""
    return _job_words.get() is not None


def plan_and_play(
    opened: AbstractContextManager[Store],
    plan: Callable[[Store], Plan],
    play: Callable[[Store, Plan], int],
    *,
    context: typer.Context | None,
    in_job: Callable[[Plan], Mapping[str, object]] = lambda _: {},
) -> int:
    """Plan what a command plays, then play it and return the exit code.

    Args:
        opened: the database.
        plan: finds everything that the command needs, and refuses what cannot be played. It prints
            nothing and stores nothing but bots, which `db.bots_only` enforces in the queue.
        play: plays, and prints the result.
        context: the context of the command.
        in_job: returns the options that a job keeps in place of the given ones, by name.

    """
    with opened as store:
        planned = plan(store)
        words = _job_words.get()
        if words is None:
            return play(store, planned)
        assert context is not None  # noqa: S101 - only commands are planned
        options: dict[str, object] = {
            **all_options(context),
            **_absolute_paths(context),
            **in_job(planned),
        }
        del options["db"]
        words += command_words(options, context)
        return ExitCode.DONE


def _absolute_paths(context: typer.Context) -> dict[str, str]:
    """Return the options that are paths of files, for a command that runs in another folder."""
    return {
        name: str(Path(value).absolute())
        for name, value in context.params.items()
        if isinstance(value, Path)
        or (name in MAY_BE_FILES and value is not None and Path(value).is_file())
    }


@contextmanager
def open_to_play(where: str, plan: Callable[[Store], object]) -> Iterator[Store]:
    """Open the database to play in; its runs are finished when the block has printed them.

    A missing database is created only after `plan` has succeeded, so that a refused command leaves
    no new file.

    Args:
        where: a file path or an SQLAlchemy URL.
        plan: as for `plan_and_play`.

    Raises:
        DatabaseError: it cannot be opened.
        Stopped: the user has stopped the command.

    """
    if is_missing(where):
        with open_draft(where) as store:
            plan(store)
    with open_store(where, create=True, sync=True) as store, store.runs.deferring_finish():
        yield store
        # Without a reader the result still counts, and the exit code reports it.
        with suppress(BrokenPipeError):
            sys.stdout.flush()


def experiment_context(store: Store, options: RunOptions) -> ExperimentContext:
    """Return what an experiment plays with, and shows its progress on stderr."""
    return ExperimentContext(store, watcher_for(stderr_console()), options.workforce())
