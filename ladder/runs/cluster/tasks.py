"""The task of a pair, which runs in a thread of a Dask worker.

A slot, which is a process of its own, plays the pair. It is killed when the result is not wanted
any more, because the pair was cancelled or the worker has lost its scheduler; its bots die with it.
"""

import math
import pickle
import socket
import threading
import time
from collections.abc import Callable, Collection, Container, Mapping
from concurrent.futures import Future
from functools import lru_cache
from importlib.metadata import version
from typing import Any, NamedTuple, TypeVar

import msgspec
from distributed import Status, get_worker

from db.records.pairs import PairPlan, PairRecord
from ladder.errors import LadderError
from ladder.harness_version import harness_version
from ladder.match.game.referee import play_undisturbed
from ladder.match.process.failures import to_one_line
from ladder.match.process.worker_pool import WorkerDied, WorkerPool
from ladder.runs.cluster import slot
from ladder.runs.cluster.slot import Bundle, unpack_bundle

T = TypeVar("T")
BUNDLES = "ladder-bots-"
"""The beginning of the Dask keys of bundles; each lives until its runs are over."""
RESOURCE = "pair"
"""The Dask resource of which a worker has one for each slot."""
WAIT_S = 0.5
"""Seconds between two checks whether a result is still wanted."""


class Refusal(msgspec.Struct, frozen=True):
    """The answer of a worker that cannot play a pair."""

    worker: str
    """Its address."""
    host: str
    reason: str


class _IdleSlot(NamedTuple):
    """A slot that plays no pair."""

    pool: WorkerPool
    run: str
    """The key of the bundle whose bots it holds."""
    since: float
    """When it became idle, by the monotonic clock."""


class _Slots:
    """The idle slots of this process. Shared by the threads of its tasks."""

    def __init__(self) -> None:
        self._idle: list[_IdleSlot] = []
        """The latest one comes last."""
        self._lock = threading.Lock()

    def take(self, run: str) -> WorkerPool:
        """Return an idle slot, one with the bots of the run if there is one, or a new one."""
        with self._lock:
            self._idle.sort(key=lambda slot: (slot.run == run, slot.since))
            return self._idle.pop().pool if self._idle else WorkerPool(1)

    def give_back(self, pool: WorkerPool, run: str) -> None:
        """Add a slot to the idle ones."""
        with self._lock:
            self._idle.append(_IdleSlot(pool, run, time.monotonic()))

    def idle_runs(self) -> set[str]:
        """Return the runs whose bots are in idle slots."""
        with self._lock:
            return {slot.run for slot in self._idle}

    def end_idle(self, idle_s: float = 0.0, runs: Container[str] = ()) -> None:
        """End idle slots and their bots: those of `runs`, and all idle for `idle_s` seconds."""
        since = time.monotonic() - idle_s
        with self._lock:
            old = [slot for slot in self._idle if slot.since <= since or slot.run in runs]
            self._idle = [slot for slot in self._idle if slot not in old]
        for each in old:
            each.pool.kill()


slots = _Slots()
_prepared: dict[str, Bundle] = {}
"""The runs for which this worker was prepared, by key."""
_preparing = threading.Lock()


@lru_cache(maxsize=1)
def own_versions() -> dict[str, str]:
    """Return what must be equal on the coordinator and on a worker."""
    own = harness_version()
    return {
        **{name: own[name] for name in ("ladder", "sources", "players")},
        "distributed": version("distributed"),
    }


def play(versions: Mapping[str, str], key: str, bots: bytes, pair: bytes) -> PairRecord | Refusal:
    """Play one pair in a slot.

    Args:
        versions: The versions of the coordinator.
        key: A hash of `bots`.
        bots: The bundle of the run's bots; packed, as its classes may differ in another version.
        pair: The plan of the pair, packed.

    Raises:
        WorkerDied: the slot was killed.

    """

    def attempt() -> PairRecord:
        try:
            bundle = _prepare(key, bots)
            plan: PairPlan = pickle.loads(pair)  # noqa: S301 - of the coordinator
            return run_in_slot(slot.play, bundle, plan, run=key, is_wanted=is_task_wanted)
        except OSError:  # the cache was emptied: the bots' files are unpacked again
            _prepared.pop(key, None)
            raise

    try:
        _check_versions(versions)
        return play_undisturbed(attempt, [])
    except WorkerDied:
        raise
    except Exception as error:  # a fault of this worker: others may play the pair
        _prepared.pop(key, None)
        reason = to_one_line(str(error)) or type(error).__name__
        return Refusal(get_worker().address, socket.gethostname(), reason)


def _check_versions(theirs: Mapping[str, str]) -> None:
    """Raise LadderError if the coordinator has another version."""
    differences = [
        f"{name} {each} there, {theirs.get(name)} here"
        for name, each in own_versions().items()
        if theirs.get(name) != each
    ]
    if differences:
        raise LadderError(f"it has another version ({', '.join(differences)}): install one on both")


def _prepare(key: str, bots: bytes) -> Bundle:
    """Prepare this worker for the bots of a run, once."""
    with _preparing:
        if key not in _prepared:
            bundle = unpack_bundle(bots)
            run_in_slot(slot.prepare, bundle, run=key, is_wanted=is_worker_serving)
            _prepared[key] = bundle
        return _prepared[key]


def end_runs(runs: Collection[str]) -> None:
    """End the bots of runs that are over, and forget what was prepared for them."""
    slots.end_idle(math.inf, runs)
    for run in runs:
        _prepared.pop(run, None)


def run_in_slot(
    function: Callable[..., T], *arguments: Any, run: str, is_wanted: Callable[[], bool]
) -> T:
    """Call a function in a slot.

    Args:
        function: A function of a module that the slot can import.
        arguments: The arguments of the function.
        run: The key of its bots' bundle.
        is_wanted: Returns whether the result is still wanted; if not, the slot is killed.

    Raises:
        LadderError: the result is not wanted any more.
        WorkerDied: the slot was killed.

    """
    pool = slots.take(run)
    try:
        work: Future[T] = pool.call(function, *arguments)
        while not work.done():
            pool.wait(WAIT_S)
            if not is_wanted():
                raise LadderError("the result is not wanted any more")
        result = work.result()
    except BaseException:
        pool.kill()
        raise
    slots.give_back(pool, run)
    return result


def is_worker_serving() -> bool:
    """Return whether the worker of this thread still serves a scheduler."""
    return get_worker().status in (Status.running, Status.paused)


def is_task_wanted() -> bool:
    """Return whether the task of this thread is still wanted, as far as the worker knows."""
    worker: Any = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    is_kept = task is not None and task.state not in ("cancelled", "released", "forgotten")
    return is_kept and is_worker_serving()
