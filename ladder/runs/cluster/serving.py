"""The long-lived processes of a cluster: the scheduler, and the worker on each machine."""

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Awaitable, Callable
from typing import Any

import dask
import msgspec
from distributed import Scheduler, Worker

from ladder.match.process.failures import to_one_line
from ladder.runs.cluster import machine, slot
from ladder.runs.cluster.lending import METRIC, Lending
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
        asyncio.run(_until_signal(_schedule(endpoint, report)))


def serve_worker(
    endpoint: SchedulerEndpoint,
    *,
    slots: int,
    name: str | None,
    sandbox: tuple[str, ...],
    report: Report,
    machines: int = 1,
    leaves_at: float | None = None,
) -> None:
    """Play pairs for the clients of a scheduler until a signal, and reconnect after a loss.

    The first SIGINT and the time `leaves_at` let it finish the pairs in play; any further signal
    ends it at once.

    Args:
        endpoint: The address of the scheduler.
        slots: Pairs at the same time.
        name: The name of this machine; None for that of the host.
        sandbox: The command that wraps every foreign bot; empty for that of the run.
        report: Prints events.
        machines: The number of machines as which this process joins, more than one to simulate a
            fleet.
        leaves_at: The time at which it leaves, in seconds since the epoch; None: it stays.

    """
    _reduce_logging()
    if name is not None:
        os.environ[machine.NAME_VARIABLE] = name
    if sandbox:
        os.environ[slot.SANDBOX_VARIABLE] = msgspec.json.encode(sandbox).decode()
    with dask.config.set({**FRUGAL, "distributed.worker.http.routes": []}):
        asyncio.run(_work_as(machines, endpoint, slots, report, leaves_at))


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


async def _work_as(
    machines: int,
    endpoint: SchedulerEndpoint,
    slots: int,
    report: Report,
    leaves_at: float | None,
) -> None:
    name = machine.machine_name()
    lent = [Lending(name, slots, leaves_at=leaves_at, report=report) for _ in range(machines)]

    def leave() -> bool:
        waiting = [each.leave("Ctrl-C") for each in lent]
        return any(waiting)

    async def work_until_all_have_ended() -> None:
        works = [_work(endpoint, slots, report, each) for each in lent]
        # Without `return_exceptions` the first one that ends would leave others half closed, and
        # Dask waits for them forever.
        for error in await asyncio.gather(*works, return_exceptions=True):
            if error is not None:
                raise error

    await _until_signal(work_until_all_have_ended(), leave)


async def _work(endpoint: SchedulerEndpoint, slots: int, report: Report, lending: Lending) -> None:
    reported = False
    while not lending.is_leaving:
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
                metrics={METRIC: lending},
            ) as worker:
                reported = False
                report(f"connected to {endpoint.address} with {slots} slots")
                await lending.serve(worker)
                if not lending.is_leaving:
                    report(f"the connection to {endpoint.address} is lost: reconnecting")
        except (OSError, TimeoutError) as error:
            if not reported:
                why = to_one_line(str(error)) or type(error).__name__
                report(f"no scheduler answers at {endpoint.address} ({why}): trying until one does")
            reported = True
        finally:
            machine.slots.end_all()
        if not lending.is_leaving:
            await asyncio.sleep(PAUSE_S)


async def _until_signal(
    serving: Awaitable[Any], interrupt: Callable[[], bool] = lambda: False
) -> None:
    """Serve until the end, or until SIGINT, SIGTERM or SIGHUP.

    Args:
        serving: What serves.
        interrupt: Called at SIGINT; returns whether `serving` ends by itself after that.

    """
    task = asyncio.ensure_future(serving)
    loop = asyncio.get_running_loop()

    def end() -> None:
        _set_level(logging.CRITICAL)  # tasks that are cancelled now are no errors
        task.cancel()

    def leave_or_end() -> None:
        if not interrupt():
            end()

    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, end)
    loop.add_signal_handler(signal.SIGINT, leave_or_end)
    with contextlib.suppress(asyncio.CancelledError):
        await task


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
