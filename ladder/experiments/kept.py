"""Results that runs keep: an experiment that has ended is judged once, and then read.

A judge of stored pairs calls bots by references (`db.records.results`), which become the present
names when the result is shown.
"""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import msgspec

from db.errors import Busy, Unwritable
from db.records.results import fill_references, reference
from db.records.runs import RunRow, RunStatus
from db.store import Store
from ladder.errors import UsageError
from ladder.experiments.tally import JudgedBot
from ladder.runs.history import PastRun, past_run

ENDED = (RunStatus.FINISHED, RunStatus.INVALID)
ResultT = TypeVar("ResultT")
Judged = Callable[[Store, PastRun], ResultT | None]
"""Judges the stored pairs of a run; None if its question or a bot is not readable."""


def ended_run(store: Store, run_id: int) -> PastRun:
    """Return a run whose command has its result and marks it as finished when it is printed."""
    return replace(past_run(store, run_id), status=RunStatus.FINISHED)


def stored_bots(store: Store, run: RunRow) -> dict[str, JudgedBot]:
    """Return the bots of a run by name, each called by the reference to the revision that played.

    Empty if one is unknown.
    """
    listed = run.settings.bots
    ids = {content: key for key, content in store.bots.contents().items()}
    if not set(listed.items()) <= set(ids):
        return {}
    found = {name: ids[name, content] for name, content in listed.items()}
    return {name: JudgedBot(reference(key), key, listed[name]) for name, key in found.items()}


def result_of(
    store: Store, past: PastRun, kind: type[ResultT], judge: Judged[ResultT]
) -> ResultT | None:
    """Return the result of a run: that which it keeps, else that of its pairs.

    The latter is kept, if the run has ended and this process may write.
    """
    has_ended = past.status in ENDED
    facts = store.runs.result(past.row.id) if has_ended else None
    found = None if facts is None else decoded(store, facts, kind)
    if found is not None:
        return found
    judged = judge(store, past)
    if judged is None:
        return None
    facts = msgspec.to_builtins(judged, order="sorted")  # as it is stored
    if has_ended and not store.is_read_only:
        with contextlib.suppress(Unwritable, Busy):  # then the next process keeps it
            store.runs.set_result(past.row.id, facts)
    return decoded(store, facts, kind)


def decoded(store: Store, facts: Any, kind: type[ResultT]) -> ResultT | None:
    """Return kept facts with present names; None if another version wrote them differently."""
    contents = store.bots.contents()

    def name(revision: int) -> str:
        return contents[revision][0] if revision in contents else "a deleted bot"

    try:
        return msgspec.convert(fill_references(facts, name), kind)
    except (msgspec.ValidationError, UsageError):
        return None
