"""The interrupted runs of a database, and the options of the command that resumes each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from db.records.runs import OPTIONS, RunKind, RunRow, RunStatus
from db.store import ProcessLocks, Store

TUNING = "tuning"
"""The settings key of a tuning's search."""
UNFINISHED = frozenset({RunStatus.INTERRUPTED, RunStatus.RUNNING, RunStatus.INVALID})
"""States of a run that can be resumed if no process plays it."""
MULTI_RUN_COMMANDS = ("bisect", "tune")
"""Commands that play several runs each."""


def is_unfinished(run: RunRow) -> bool:
    """Return whether a run that no process plays can be resumed.

    An invalid gate or selection cannot: its games would make the resumed one invalid, too.
    """
    return run.status in UNFINISHED and not (
        run.kind in (RunKind.GATE, RunKind.SELECT) and run.status is RunStatus.INVALID
    )


@dataclass(frozen=True, slots=True)
class Resumable:
    """A run, or a bisection or tuning of several runs, that a command can resume."""

    run_id: int
    games: int
    """Finished games."""
    options: Mapping[str, object]
    """The command that resumes it, and its options, as `ladder.cli.resume` stores them."""


def resumable_runs(store: Store, lock: ProcessLocks) -> tuple[Resumable, ...]:
    """Return the interrupted runs that a command can resume, newest first.

    A command that plays several runs is listed once, with the first of them.
    """
    hashes = {bot.name: bot.revision.content_hash for bot in store.bots.all()}
    counts = {**store.games.count_by_run(), **store.tuning_steps.games_by_run()}
    found: dict[str, Resumable] = {}
    for run in store.runs.find():
        options = options_of(run)
        if options is None or run.renamed or not is_unfinished(run) or lock.is_alive(run.id):
            continue  # a run with renamed bots has an identity of the former names
        is_part = options["command"] in MULTI_RUN_COMMANDS
        if not is_part and not run.settings["bots"].items() <= hashes.items():
            continue
        key = repr(sorted(options.items())) if is_part else str(run.id)
        games = counts.get(run.id, 0) + (found[key].games if key in found else 0)
        found[key] = Resumable(run.id, games, options)
    return tuple(found.values())


def options_of(run: RunRow) -> dict[str, Any] | None:
    """Return the command of a run and its options; None if they are not stored."""
    options = run.settings.get(OPTIONS)
    if not options:
        return None
    if options.get("seed") is None:
        return {**options, "seed": run.seed}
    return dict(options)
