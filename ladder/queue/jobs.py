"""The queue as users see it: each experiment with its service, run, games and verdict."""

import contextlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from db.errors import Unwritable
from db.records.queue import EntryRow, EntryState, ServiceRow
from db.store import Store
from ladder.runs.history import PastRun, find_dead, past_runs

UNFINISHED = (EntryState.PLAYING, EntryState.WAITING, EntryState.PAUSED)
"""States of entries that have not ended, in the order of lists."""


@dataclass(frozen=True, slots=True)
class Job:
    """An entry of the queue with its service and its run."""

    entry: EntryRow
    state: EntryState
    """Its present state: it waits again if the service that played it has died."""
    run: PastRun | None = None
    """Its newest run; None until it is known."""
    service: ServiceRow | None = None
    """The service that plays it or played it last."""

    @property
    def games(self) -> int:
        """Finished games of its newest run."""
        return 0 if self.run is None else self.run.games

    @property
    def verdict(self) -> str | None:
        """The verdict of its newest run; None before its end, and if the run has none."""
        return self.run.verdict if self.run is not None and self.entry.state.is_final else None


def find_jobs(store: Store, *, ended: int | None = None) -> list[Job]:
    """Return the queue: what is played, what waits in its order, and what has ended, newest first.

    Args:
        store: an open database.
        ended: most experiments that have ended; None for all.

    """
    open_entries = store.queue.find(states=UNFINISHED)
    final = store.queue.find(states=[state for state in EntryState if state.is_final], limit=ended)
    jobs = _jobs(store, [*sorted(open_entries, key=lambda entry: entry.order), *final])
    first = {state: place for place, state in enumerate(UNFINISHED)}
    return sorted(jobs, key=lambda job: first.get(job.state, len(first)))


def find_job(store: Store, entry_id: int) -> Job:
    """Return an experiment of the queue. Raises UnknownRow."""
    return _jobs(store, [store.queue.get(entry_id)])[0]


def _jobs(store: Store, entries: Iterable[EntryRow]) -> list[Job]:
    chosen = list(entries)
    runs = {}
    if any(entry.run_id is not None for entry in chosen):
        runs = {run.row.id: run for run in past_runs(store)}
    services = {service.id: service for service in store.queue.services()}
    dead = _find_dead_services(store, chosen)
    return [
        Job(
            entry,
            _present_state(entry, dead),
            None if entry.run_id is None else runs.get(entry.run_id),
            None if entry.service_id is None else services[entry.service_id],
        )
        for entry in chosen
    ]


def _present_state(entry: EntryRow, dead: Collection[int]) -> EntryState:
    is_orphan = entry.state is EntryState.PLAYING and entry.service_id in dead
    return EntryState.WAITING if is_orphan else entry.state


def _find_dead_services(store: Store, entries: Iterable[EntryRow]) -> set[int]:
    """Return the services of playing entries that have died."""
    playing = {
        entry.service_id
        for entry in entries
        if entry.state is EntryState.PLAYING and entry.service_id is not None
    }
    return find_dead(store.service_lock, playing)


def release_orphans(store: Store) -> list[EntryRow]:
    """Release the entries of services that have died; return them as they are now."""
    dead = _find_dead_services(store, store.queue.find(states=[EntryState.PLAYING]))
    return store.queue.release(dead) if dead else []


def find_live_services(store: Store) -> list[ServiceRow]:
    """Return the services that live now, newest first; empty in a read-only folder."""
    with contextlib.suppress(Unwritable), contextlib.closing(store.service_lock()) as lock:
        return [service for service in store.queue.services() if lock.is_alive(service.id)]
    return []
