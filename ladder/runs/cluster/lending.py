"""The slots that a machine lends, and its departure after the pairs in play.

The worker's process holds this, so it outlives the scheduler. Each heartbeat carries it as an
`Offer`, which coordinators find in the scheduler's list of workers.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from distributed import Status, Worker
from distributed.worker_state_machine import UnpauseEvent

from ladder.runs.cluster.task_key import played_pair

METRIC = "ladder"
"""The name of an offer among the metrics of a worker."""
PLAYING, FINISHED = "executing", "memory"
"""The states of tasks that are in play, and of those whose result is not collected yet."""
POLL_S = 0.2
"""Seconds between two checks whether the last pair of a machine that leaves is finished."""
COLLECT_S = 30.0
"""Most seconds for which a machine that leaves waits for coordinators to collect results."""


class Offer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The state of a machine as its heartbeats carry it."""

    name: str
    slots: int
    """Slots that play pairs now."""
    total: int
    playing: tuple[str, ...] = ()
    """Keys of the tasks of pairs in play."""
    finished: tuple[str, ...] = ()
    """Keys of the tasks of pairs whose result is not collected yet."""
    is_leaving: bool = False
    """Whether the machine leaves once its pairs are finished."""

    @property
    def reason(self) -> str:
        """Why the machine lends fewer slots than it has; empty if it lends all."""
        return "it finishes its pairs in play and leaves" if self.is_leaving else ""


def offer_of(worker: Mapping[str, Any]) -> Offer | None:
    """Return the offer in the scheduler's description of a worker, or None without one."""
    found = worker.get("metrics", {}).get(METRIC)
    try:
        return None if found is None else msgspec.convert(found, Offer, strict=False)
    except msgspec.ValidationError:  # of another version of the program
        return None


class Lending:
    """The slots that one worker lends; as a metric of the worker it returns its offer.

    It changes the number of tasks that the worker starts at a time. Dask knows nothing of that:
    tasks beyond it wait on the worker. Used in the worker's loop only.
    """

    def __init__(
        self,
        name: str,
        total: int,
        *,
        leaves_at: float | None = None,
        report: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Lend all slots.

        Args:
            name: The name of the machine.
            total: Its slots.
            leaves_at: The time at which it leaves, in seconds since the epoch; None: it stays.
            report: Prints events.

        """
        self._name = name
        self._total = total
        self._leaves_at = leaves_at
        self._report = report
        self._leaving = asyncio.Event()
        self._worker: Worker | None = None
        """The worker that is connected to a scheduler."""

    @property
    def is_leaving(self) -> bool:
        """Whether the machine finishes its pairs and leaves."""
        is_over = self._leaves_at is not None and time.time() >= self._leaves_at
        return is_over or self._leaving.is_set()

    def __call__(self, worker: Worker) -> dict[str, Any]:
        """Return the present offer, after a change of the worker where time has passed."""
        self._apply(worker)
        found: dict[str, Any] = msgspec.to_builtins(self._offer(worker))
        return found

    def leave(self, why: str) -> bool:
        """Start no more pairs, and make `serve` return once those in play are finished.

        Return whether there is anything to wait for: False without a connection, and if the
        machine is leaving already.
        """
        if self._worker is None or self._leaving.is_set():
            self._leaving.set()
            return False
        self._leaving.set()
        pairs = len(_pairs_of(self._worker, PLAYING))
        self._report(
            f"{why}: finishing {pairs} pair{'' if pairs == 1 else 's'} in play, then leaving "
            "(Ctrl-C ends at once)"
        )
        return True

    async def serve(self, worker: Worker) -> None:
        """Return when a worker has lost its scheduler, or has nothing left to do and may leave."""
        self._worker = worker
        finished = asyncio.ensure_future(worker.finished())  # type: ignore[no-untyped-call]
        leaving = asyncio.ensure_future(self._leaving.wait())
        try:
            await asyncio.wait((finished, leaving), return_when=asyncio.FIRST_COMPLETED)
            self._apply(worker)
            patience = time.monotonic() + COLLECT_S
            while not finished.done() and _pairs_of(worker, PLAYING, FINISHED):
                if _pairs_of(worker, PLAYING):
                    patience = time.monotonic() + COLLECT_S
                elif time.monotonic() > patience:
                    return
                await asyncio.wait((finished,), timeout=POLL_S)
        finally:
            self._worker = None
            finished.cancel()
            leaving.cancel()

    def _offer(self, worker: Worker) -> Offer:
        return Offer(
            name=self._name,
            slots=self._slots(),
            total=self._total,
            playing=_pairs_of(worker, PLAYING),
            finished=_pairs_of(worker, FINISHED),
            is_leaving=self.is_leaving,
        )

    def _slots(self) -> int:
        """Return the slots that are lent now."""
        return 0 if self.is_leaving else self._total

    def _apply(self, worker: Worker) -> None:
        """Let a worker start as many tasks at a time as slots are lent."""
        if self.is_leaving and not self._leaving.is_set():
            self.leave("its time is over")
        slots = self._slots()
        if worker.status is not Status.running or worker.state.nthreads == slots:
            return
        worker.state.nthreads = slots
        # The only event that makes a running worker start tasks which wait for a thread.
        worker.handle_stimulus(UnpauseEvent(stimulus_id=f"lend-{slots}-{time.time()}"))


def _pairs_of(worker: Worker, *states: str) -> tuple[str, ...]:
    """Return the keys of a worker's tasks that are pairs in some states."""
    return tuple(
        str(task.key)
        for task in worker.state.tasks.values()
        if task.state in states and played_pair(task.key) is not None
    )
