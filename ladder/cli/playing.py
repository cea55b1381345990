"""Commands that play: each plans first what it plays, so that the queue can check it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from typing import TypeVar

from db.store import Store
from ladder.cli.database import is_missing, open_draft, open_store
from ladder.cli.output import stderr_console
from ladder.cli.run_options import RunOptions
from ladder.errors import ExitCode
from ladder.experiments.engine import ExperimentContext
from reports.run import watcher_for

Plan = TypeVar("Plan")

_only_plans: ContextVar[bool] = ContextVar("only_plans", default=False)


@contextmanager
def planning_only() -> Iterator[None]:
    """Let the command that runs in the block end before it plays."""
    token = _only_plans.set(True)
    try:
        yield
    finally:
        _only_plans.reset(token)


def is_planning_only() -> bool:
    """Return whether the command ends before it plays, as when it enters the queue."""
    return _only_plans.get()


def plan_and_play(
    opened: AbstractContextManager[Store],
    plan: Callable[[Store], Plan],
    play: Callable[[Store, Plan], int],
) -> int:
    """Plan what a command plays, then play it and return the exit code.

    Args:
        opened: the database.
        plan: finds everything that the command needs, and refuses what cannot be played. It prints
            nothing and stores nothing but bots.
        play: plays, and prints the result.

    """
    with opened as store:
        planned = plan(store)
        return ExitCode.DONE if is_planning_only() else play(store, planned)


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
