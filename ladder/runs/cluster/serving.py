"""`ladder worker`: a Dask worker that plays pairs for the clients of a scheduler."""

import asyncio
import contextlib
import logging
import os
import signal
import time
from collections.abc import Callable
from typing import Any

import dask
import msgspec
from distributed import Status, Worker

from engine.cache import cache_root
from ladder.match.process.failures import to_one_line
from ladder.names import counted
from ladder.runs.cluster import slot
from ladder.runs.cluster.endpoint import CONNECT_S, Endpoint
from ladder.runs.cluster.executor import PREFIX
from ladder.runs.cluster.tasks import BUNDLES, RESOURCE, end_runs, slots

PAUSE_S = 2.0
"""Seconds between two attempts to reach a scheduler again."""
POLL_S = 0.2
"""Seconds between two checks whether a worker is still connected, or may leave."""
ASK_S = 1.0
"""Seconds between two questions which runs are over, while there are idle slots."""
IDLE_S = 60.0
"""Seconds after which an idle slot and its bots end."""
COLLECT_S = 30.0
"""Most seconds for which a worker that leaves waits for coordinators to collect results."""
FRUGAL = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "500ms",
    "distributed.worker.http.routes": [],
}
"""Settings of Dask for less idle work: measuring its own threads, memory and event loop would take
processor time from the bots."""


def serve_worker(
    endpoint: Endpoint,
    *,
    count: int,
    sandbox: tuple[str, ...],
    leaves_at: float | None,
    report: Callable[[str], None],
) -> None:
    """Play pairs until a signal, and connect again after a loss.

    The first SIGINT and the time `leaves_at` let it finish the pairs in play; any further signal
    ends it at once.

    Args:
        endpoint: The scheduler.
        count: Pairs at the same time.
        sandbox: The command that wraps every foreign bot; empty for that of the run.
        leaves_at: The time at which it leaves, in seconds since the epoch; None: it stays.
        report: Prints events.

    Raises:
        UsageError: no scheduler answers.

    """
    _reduce_logging()
    if sandbox:
        os.environ[slot.SANDBOX_VARIABLE] = msgspec.json.encode(sandbox).decode()
    with dask.config.set(FRUGAL):
        endpoint.check()
        asyncio.run(_Service(endpoint, count, report).run(leaves_at))


class _Service:
    """The worker, over all of its connections. Used in one asyncio loop."""

    def __init__(self, endpoint: Endpoint, count: int, report: Callable[[str], None]) -> None:
        self._endpoint = endpoint
        self._count = count
        self._report = report
        self._is_leaving = False
        self._worker: Any = None
        """The worker that is connected."""
        self._asked_at = 0.0
        """When the scheduler was last asked which runs are over, by the monotonic clock."""

    async def run(self, leaves_at: float | None) -> None:
        """Serve until the worker has left or a signal ends it."""
        serving = asyncio.ensure_future(self._serve())
        loop = asyncio.get_running_loop()

        def on_signal(number: int) -> None:
            if number == signal.SIGINT and not self._is_leaving:
                self._leave("Ctrl-C")
            else:
                _set_level(logging.CRITICAL)  # tasks that are cancelled now are no errors
                serving.cancel()

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, on_signal, number)
        if leaves_at is not None:
            loop.call_later(leaves_at - time.time(), self._leave, "its time is over")
        with contextlib.suppress(asyncio.CancelledError):
            await serving

    def _leave(self, why: str) -> None:
        """Begin no more pairs, and end once those in play are finished."""
        self._is_leaving = True
        if self._worker is not None:
            self._worker.status = Status.paused  # begins no task, and the scheduler sends none
            pairs = counted(self._count_pairs("executing"), "pair")
            self._report(f"{why}: finishing {pairs} in play, then leaving (Ctrl-C ends at once)")

    async def _serve(self) -> None:
        is_lost = False
        address = self._endpoint.address
        while not self._is_leaving:
            try:
                async with Worker(
                    address,
                    # One thread more than slots, so that bots arrive while all slots play.
                    nthreads=self._count + 1,
                    resources={RESOURCE: self._count},
                    security=self._endpoint.security,
                    memory_limit=0,  # what bots use is not this process's, and has its own limits
                    dashboard=False,
                    dashboard_address="127.0.0.1:0",
                    local_directory=str(cache_root() / "dask"),
                    death_timeout=CONNECT_S,
                ) as self._worker:
                    is_lost = False
                    self._report(f"connected to {address} with {counted(self._count, 'slot')}")
                    await self._play()
                    if not self._is_leaving:
                        self._report(f"the connection to {address} is lost: connecting again")
            except (OSError, TimeoutError) as error:
                if not is_lost:
                    why = to_one_line(str(error)) or type(error).__name__
                    self._report(
                        f"no scheduler answers at {address} ({why}): trying until one does"
                    )
                is_lost = True
            finally:
                self._worker = None
                slots.end_idle()
            if not self._is_leaving:
                await asyncio.sleep(PAUSE_S)

    async def _play(self) -> None:
        """Return when the scheduler is lost, or when the last pair is finished and collected."""
        patience = time.monotonic() + COLLECT_S
        while self._worker.status in (Status.running, Status.paused):
            if not self._is_leaving or self._count_pairs("executing"):
                patience = time.monotonic() + COLLECT_S
            elif not self._count_pairs("memory") or time.monotonic() > patience:
                return
            slots.end_idle(IDLE_S)
            # Not `wait_for`: before Python 3.12 it loses a signal that comes while bots are ended.
            with contextlib.suppress(OSError, TimeoutError):  # the worker's status shows a loss
                async with asyncio.timeout(CONNECT_S):
                    await self._end_finished_runs()
            await asyncio.sleep(POLL_S)

    async def _end_finished_runs(self) -> None:
        """End the idle bots of runs whose bundle the scheduler does not know any more."""
        runs = slots.idle_runs()
        if runs and time.monotonic() > self._asked_at + ASK_S:
            self._asked_at = time.monotonic()
            holders = await self._worker.scheduler.who_has(keys=[BUNDLES + run for run in runs])
            end_runs([run for run in runs if not holders.get(BUNDLES + run)])

    def _count_pairs(self, state: str) -> int:
        """Return the number of the worker's pairs in a state of Dask."""
        tasks = self._worker.state.tasks.values()
        return sum(str(each.key).startswith(PREFIX) and each.state == state for each in tasks)


def _reduce_logging() -> None:
    """Let Dask log real errors only: a coordinator that ends with pairs in play is no error."""
    _set_level(logging.ERROR)
    logging.getLogger("tornado.application").addFilter(
        lambda record: (
            record.exc_info is None or not isinstance(record.exc_info[1], MemoryError | OSError)
        )
    )


def _set_level(level: int) -> None:
    for name in ("distributed", "distributed.worker", "distributed.core"):
        logging.getLogger(name).setLevel(level)
