"""The tasks of a machine, which run in the threads of a Dask worker.

`prepare` and `play` use a slot, a process that does the work. If the result is not wanted any more,
because the pair was cancelled or the worker has stopped serving, the slot is killed, and with it
the bots.
"""

import contextlib
import os
import platform
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from distributed import Status, get_worker

from db.records.pairs import Entrant, PairPlan, PairRecord
from ladder.errors import LadderError
from ladder.harness_version import harness_version
from ladder.match.process.cpus import allowed_cpus
from ladder.match.process.worker_pool import WorkerDied, WorkerPool
from ladder.runs.cluster import slot
from ladder.runs.cluster.archive import unpack
from ladder.runs.cluster.shipped_cache import archives_folder, mark_used
from ladder.runs.cluster.shipping import RunManifest

T = TypeVar("T")
NAME_VARIABLE = "LADDER_MACHINE"
"""The environment variable with the name of this machine; without it the host's name is used."""
WAIT_S = 0.5
"""Seconds between two checks whether a task is still wanted."""
IDLE_S = 60.0
"""Seconds after which an idle slot and its bots end."""


class MachineFacts(msgspec.Struct, frozen=True):
    """The description that a machine gives of itself when it joins."""

    name: str
    cpu: str
    """The model of the processor."""
    cores: int
    """CPUs that the worker may use."""
    kernel: str
    """The operating system with its version."""
    python: str
    numba: str
    ladder: str
    harness: str
    """The hash of the sources that carry games; machines of one cluster must agree on it."""
    speed: float = 0.0
    """Speed in the reference search, in million positions a second; 0 before it is measured."""
    host: str = ""
    """The boot id, which distinguishes two machines of one name."""


class SlotDied(Exception):
    """The process of a slot was killed while it played."""


class _Slots:
    """The idle slots of this process. Shared by the threads of its tasks."""

    def __init__(self) -> None:
        self._idle: list[tuple[float, WorkerPool]] = []
        """The slots with the time since when each is idle; the latest one comes last."""
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


def machine_name() -> str:
    """Return the name of this machine."""
    return os.environ.get(NAME_VARIABLE) or socket.gethostname()


def describe_machine() -> MachineFacts:
    """Return the description of this machine, by which the coordinator admits it."""
    own = harness_version()
    return MachineFacts(
        name=machine_name(),
        cpu=_cpu_model(),
        cores=allowed_cpus(),
        kernel=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        numba=version("numba"),
        ladder=own["ladder"],
        harness=own["sources"],
        host=Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip(),
    )


def missing_archives(names: tuple[str, ...]) -> list[str]:
    """Return which archives are not in this machine's cache."""
    folder = archives_folder()
    mark_used(folder / name for name in names)  # else they might be removed before the first pair
    return [name for name in names if not (folder / name).is_dir()]


def store_archive(name: str, packed: bytes) -> None:
    """Unpack an archive into this machine's cache.

    Raises:
        UsageError: the archive is not safe.
        OSError: the cache cannot be written.

    """
    unpack(packed, archives_folder() / name)


_speed: float | None = None
"""The speed of this machine, measured once."""


def prepare(manifest: RunManifest, sides: tuple[Entrant, ...]) -> slot.Prepared:
    """Prepare this machine for the pairs of a run, in a slot.

    The preparation is completed even if the run has ended: the next run then finds everything
    compiled.

    Raises:
        LadderError: this machine cannot be prepared.

    """
    global _speed
    prepared = run_in_slot(
        partial(slot.prepare, measure=_speed is None), manifest, sides, is_wanted=is_serving
    )
    if _speed is None:
        _speed = prepared.speed
    return msgspec.structs.replace(prepared, speed=_speed)


def play(key: str, plan: PairPlan) -> PairRecord:
    """Play one pair, in a slot.

    Raises:
        SlotDied: the slot was killed.

    """
    return run_in_slot(slot.play, key, plan, is_wanted=is_task_wanted)


@dataclass(frozen=True, slots=True)
class MachineTasks:
    """The functions that the coordinator calls on a machine."""

    describe_machine: Callable[[], MachineFacts] = describe_machine
    missing_archives: Callable[[tuple[str, ...]], list[str]] = missing_archives
    store_archive: Callable[[str, bytes], None] = store_archive
    prepare: Callable[[RunManifest, tuple[Entrant, ...]], slot.Prepared] = prepare
    play: Callable[[str, PairPlan], PairRecord] = play


TASKS = MachineTasks()


def run_in_slot(function: Callable[..., T], *arguments: Any, is_wanted: Callable[[], bool]) -> T:
    """Call a function in a slot.

    Args:
        function: A function of a module that the slot can import.
        arguments: The arguments of the function.
        is_wanted: Returns whether the result is still wanted; if not, the slot is killed.

    Raises:
        LadderError: the result is not wanted any more.
        SlotDied: the slot was killed.

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
    except WorkerDied as error:
        raise SlotDied("the process that played was killed") from error
    finally:
        if done:
            slots.give_back(pool)
        else:
            pool.kill()


def is_serving() -> bool:
    """Return whether the worker of this thread still serves a scheduler."""
    try:
        return bool(get_worker().status in (Status.running, Status.paused))
    except ValueError:  # outside of a worker, as in a test
        return True


def is_task_wanted() -> bool:
    """Return whether the task of this thread is still wanted, as far as the worker knows."""
    try:
        worker = get_worker()
        task = worker.state.tasks.get(worker.get_current_task())
    except ValueError:  # outside of a worker, as in a test
        return True
    return task is not None and task.state not in ("cancelled", "released", "forgotten")


def _cpu_model() -> str:
    """Return the processor's model name, or its architecture if the name is unknown."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
