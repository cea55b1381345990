"""The long-lived processes of a cluster: the scheduler, and the worker on each machine."""

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Callable, Coroutine
from typing import Any

import dask
import msgspec
from distributed import Scheduler, Worker

from ladder.match.process.failures import to_one_line
from ladder.runs.cluster import machine, slot
from ladder.runs.cluster.security import CONNECT_S, SchedulerEndpoint, check_scheduler
from ladder.runs.cluster.shipped_cache import shipped_folder

PAUSE_S = 2.0
"""Seconds between two attempts to reach a scheduler."""
Report = Callable[[str], None]
"""Prints a sentence for the user."""
FRUGAL = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "500ms",
    "distributed.scheduler.active-memory-manager.start": False,
}
"""Settings of Dask for less idle work: measuring its own threads, memory and event loop would take
processor time from the bots."""


def serve_scheduler(endpoint: SchedulerEndpoint, report: Report) -> None:
    """Run a scheduler until a signal, and report its address first.

    Raises:
        OSError: the address cannot be used.

    """
    _reduce_logging()
    # No dashboard: every machine on the network could open it.
    with dask.config.set({**FRUGAL, "distributed.scheduler.http.routes": []}):
        _run(_schedule(endpoint, report))


def serve_worker(
    endpoint: SchedulerEndpoint,
    *,
    slots: int,
    name: str | None,
    sandbox: tuple[str, ...],
    report: Report,
    machines: int = 1,
) -> None:
    """Play pairs for the clients of a scheduler until a signal, and reconnect after a loss.

    Args:
        endpoint: The address of the scheduler.
        slots: Pairs at the same time.
        name: The name of this machine; None for that of the host.
        sandbox: The command that wraps every foreign bot; empty for that of the run.
        report: Prints events.
        machines: The number of machines as which this process joins, more than one to simulate a
            fleet.

    """
    _reduce_logging()
    if name is not None:
        os.environ[machine.NAME_VARIABLE] = name
    if sandbox:
        os.environ[slot.SANDBOX_VARIABLE] = msgspec.json.encode(sandbox).decode()
    with dask.config.set({**FRUGAL, "distributed.worker.http.routes": []}):
        _run(_work_as(machines, endpoint, slots, report))


async def _schedule(endpoint: SchedulerEndpoint, report: Report) -> None:
    async with Scheduler(
        host=endpoint.host,
        port=endpoint.port,
        protocol=endpoint.protocol,
        security=endpoint.security(),
        dashboard=False,
        dashboard_address="127.0.0.1:0",
    ) as scheduler:
        report(scheduler.address)
        await asyncio.Event().wait()


async def _work_as(machines: int, endpoint: SchedulerEndpoint, slots: int, report: Report) -> None:
    await asyncio.gather(*(_work(endpoint, slots, report) for _ in range(machines)))


async def _work(endpoint: SchedulerEndpoint, slots: int, report: Report) -> None:
    reported = False
    while True:
        try:
            await check_scheduler(endpoint)
            async with Worker(
                endpoint.address,
                nthreads=slots,
                security=endpoint.security(),
                memory_limit=0,  # what bots use is not this process's, and has limits of its own
                dashboard=False,
                dashboard_address="127.0.0.1:0",
                local_directory=str(shipped_folder()),
                death_timeout=CONNECT_S,
            ) as worker:
                reported = False
                report(f"connected to {endpoint.address} with {slots} slots")
                await worker.finished()
                report(f"the connection to {endpoint.address} is lost: reconnecting")
        except (OSError, TimeoutError) as error:
            if not reported:
                why = to_one_line(str(error)) or type(error).__name__
                report(f"no scheduler answers at {endpoint.address} ({why}): trying until one does")
            reported = True
        finally:
            machine.slots.end_all()
        await asyncio.sleep(PAUSE_S)


def _run(serving: Coroutine[Any, Any, None]) -> None:
    """Run until SIGINT, SIGTERM or SIGHUP."""

    async def until_signal() -> None:
        task = asyncio.ensure_future(serving)
        loop = asyncio.get_running_loop()

        def end() -> None:
            _set_level(logging.CRITICAL)  # tasks that are cancelled now are no errors
            task.cancel()

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, end)
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(until_signal())


def _reduce_logging() -> None:
    """Let Dask log real errors only.

    A coordinator that ends while pairs are in play is not an error, nor is a connection that
    does not speak Dask's protocol.
    """
    _set_level(logging.ERROR)
    logging.getLogger("tornado.application").addFilter(
        lambda record: (
            record.exc_info is None or not isinstance(record.exc_info[1], MemoryError | OSError)
        )
    )
    logging.getLogger("distributed.scheduler").addFilter(
        lambda record: not record.getMessage().startswith("Closed comm")
    )


def _set_level(level: int) -> None:
    for name in ("distributed", "distributed.worker", "distributed.scheduler", "distributed.core"):
        logging.getLogger(name).setLevel(level)
