"""The task of a pair, which runs in a thread of a Dask worker.

A slot, which is a process of its own, plays the pair. It is killed when the result is not wanted
any more, because the pair was cancelled or the worker has lost its scheduler; its bots die with it.
"""

import pickle
import socket
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import lru_cache
from importlib.metadata import version
from typing import Any, TypeVar

import msgspec
from distributed import Status, get_worker

from db.records.pairs import PairPlan, PairRecord
from ladder.errors import LadderError
from ladder.harness_version import harness_version
from ladder.match.process.failures import to_one_line
from ladder.match.process.worker_pool import WorkerDied, WorkerPool
from ladder.match.specs.archive import use
from ladder.runs.cluster import slot
from ladder.runs.cluster.archive import unpack_archive
from ladder.runs.cluster.bot_bundle import BotBundle
from ladder.runs.cluster.shipping import RunManifest

T = TypeVar("T")
RESOURCE = "pair"
"""The Dask resource of which a worker has one for each slot."""
WAIT_S = 0.5
"""Seconds between two checks whether a result is still wanted."""
IDLE_S = 60.0
"""Seconds after which an idle slot and its bots end."""


class Refusal(msgspec.Struct, frozen=True):
    """The answer of a worker that cannot play a pair."""

    worker: str
    """Its address."""
    host: str
    reasons: dict[int | None, str]
    """By revision of the bot that it cannot host; None for all bots."""


class _Slots:
    """The idle slots of this process. Shared by the threads of its tasks."""

    def __init__(self) -> None:
        self._idle: list[tuple[float, WorkerPool]] = []
        """Slots with the time since when each is idle; the latest one comes last."""
        self._lock = threading.Lock()
        self._reaper: threading.Thread | None = None

    def take(self) -> WorkerPool:
        """Return an idle slot, or a new one."""
        with self._lock:
            if self._reaper is None:
                self._reaper = threading.Thread(target=self._reap, daemon=True)
                self._reaper.start()
            if self._idle:
                return self._idle.pop()[1]
        return WorkerPool(1)

    def give_back(self, pool: WorkerPool) -> None:
        """Add a slot to the idle ones."""
        with self._lock:
            self._idle.append((time.monotonic(), pool))

    def end_all(self, *, idle_s: float = 0.0) -> None:
        """End the slots that have been idle for at least `idle_s` seconds."""
        since = time.monotonic() - idle_s
        with self._lock:
            old = [pool for at, pool in self._idle if at <= since]
            self._idle = [(at, pool) for at, pool in self._idle if at > since]
        for pool in old:
            pool.kill()

    def _reap(self) -> None:
        while True:
            time.sleep(IDLE_S / 4)
            self.end_all(idle_s=IDLE_S)


slots = _Slots()
_prepared: dict[str, tuple[RunManifest, dict[int, str]]] = {}
"""By key, the runs for which this worker was prepared, and the reasons of the bots that it cannot
host."""
_preparing = threading.Lock()


@lru_cache(maxsize=1)
def own_versions() -> dict[str, str]:
    """Return what must be equal on the coordinator and on a worker."""
    return {**harness_version(), "distributed": version("distributed")}


def play(versions: Mapping[str, str], key: str, bots: bytes, pair: bytes) -> PairRecord | Refusal:
    """Play one pair in a slot.

    Args:
        versions: The versions of the coordinator.
        key: A hash of `bots`.
        bots: The bundle of the run's bots, and the same bots as sides of pairs; packed, as their
            classes may differ in another version.
        pair: The plan of the pair, packed.

    Raises:
        WorkerDied: the slot was killed.

    """
    try:
        _check_versions(versions)
        manifest, refused = _prepare(key, bots)
        plan: PairPlan = pickle.loads(pair)  # noqa: S301 - of the coordinator
        lacking: dict[int | None, str] = {
            side.revision: refused[side.revision]
            for side in (plan.a, plan.b)
            if side.revision in refused
        }
        if lacking:
            return _refuse(lacking)
        record = run_in_slot(slot.play, manifest, plan, is_wanted=is_task_wanted)
    except WorkerDied:
        raise
    except Exception as error:  # a fault of this worker: others may play the pair
        _prepared.pop(key, None)
        return _refuse({None: to_one_line(str(error)) or type(error).__name__})
    return record


def _check_versions(theirs: Mapping[str, str]) -> None:
    """Raise LadderError if the coordinator has another version."""
    ours = own_versions()
    differences = [
        f"{name} {ours[name]} there, {each} here"
        for name, each in theirs.items()
        if ours.get(name) != each and name in ("ladder", "sources", "distributed")
    ]
    if differences:
        raise LadderError(f"it has another version ({', '.join(differences)}): install one on both")


def _prepare(key: str, packed: bytes) -> tuple[RunManifest, dict[int, str]]:
    """Prepare this worker for the bots of a run, once."""
    with _preparing:
        if key not in _prepared:
            bundle: BotBundle
            bundle, sides = pickle.loads(packed)  # noqa: S301 - of the coordinator
            for name, archive in bundle.archives.items():
                try:
                    use(name)
                except FileNotFoundError:
                    unpack_archive(archive)
            refused = run_in_slot(slot.prepare, bundle.manifest, sides, is_wanted=is_worker_serving)
            _prepared[key] = (bundle.manifest, refused)
        return _prepared[key]


def _refuse(reasons: dict[int | None, str]) -> Refusal:
    return Refusal(get_worker().address, socket.gethostname(), reasons)


def run_in_slot(function: Callable[..., T], *arguments: Any, is_wanted: Callable[[], bool]) -> T:
    """Call a function in a slot.

    Args:
        function: A function of a module that the slot can import.
        arguments: The arguments of the function.
        is_wanted: Returns whether the result is still wanted; if not, the slot is killed.

    Raises:
        LadderError: the result is not wanted any more.
        WorkerDied: the slot was killed.

    """
    pool = slots.take()
    done = False
    try:
        work: Future[T] = pool.call(function, *arguments)
        while not work.done():
            pool.wait(WAIT_S)
            if not is_wanted():
                raise LadderError("the result is not wanted any more")
        result = work.result()
        done = True
        return result
    finally:
        if done:
            slots.give_back(pool)
        else:
            pool.kill()


def is_worker_serving() -> bool:
    """Return whether the worker of this thread still serves a scheduler."""
    return get_worker().status in (Status.running, Status.paused)


def is_task_wanted() -> bool:
    """Return whether the task of this thread is still wanted, as far as the worker knows."""
    worker: Any = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    is_kept = task is not None and task.state not in ("cancelled", "released", "forgotten")
    return is_kept and is_worker_serving()
