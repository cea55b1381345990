"""The two long-lived processes of a cluster: the scheduler, and the worker on each machine."""

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

from engine.cache import cache_root
from ladder.match.process.failures import to_one_line
from ladder.runs.cluster import machine, slot
from ladder.runs.cluster.security import CONNECT_S, SchedulerEndpoint, check_scheduler

PAUSE_S = 2.0
"""Between two attempts to reach a scheduler."""
Say = Callable[[str], None]
FRUGAL = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "500ms",
    "distributed.scheduler.active-memory-manager.start": False,
}
"""Settings of the library for less idle work: looks at its own threads, memory and event loop would
take processor time from bots that think."""


def serve_scheduler(endpoint: SchedulerEndpoint, say: Say) -> None:
    """Be a scheduler until a signal; `say` is told the address first.

    Raises:
        OSError: the address cannot be listened at.

    """
    _be_quiet()
    # No page of its own: it would be open to whoever reaches the machine.
    with dask.config.set({**FRUGAL, "distributed.scheduler.http.routes": []}):
        _run(_schedule(endpoint, say))


def serve_worker(
    endpoint: SchedulerEndpoint,
    *,
    slots: int,
    name: str | None,
    sandbox: tuple[str, ...],
    say: Say,
    machines: int = 1,
) -> None:
    """Play pairs for whoever asks at a scheduler, until a signal; connect again when it is lost.

    Args:
        endpoint: of the scheduler.
        slots: pairs at the same time.
        name: of this machine; None: that of the host.
        sandbox: words before the command of every foreign bot; empty: those of its run.
        say: is told what happens.
        machines: as how many machines of so many slots this process joins; more than one simulate a
            fleet.

    """
    _be_quiet()
    if name is not None:
        os.environ[machine.NAME] = name
    if sandbox:
        os.environ[slot.SANDBOX] = msgspec.json.encode(sandbox).decode()
    with dask.config.set({**FRUGAL, "distributed.worker.http.routes": []}):
        _run(_work_as(machines, endpoint, slots, say))


async def _schedule(endpoint: SchedulerEndpoint, say: Say) -> None:
    async with Scheduler(
        host=endpoint.host,
        port=endpoint.port,
        protocol=endpoint.protocol,
        security=endpoint.security(),
        dashboard=False,
        dashboard_address="127.0.0.1:0",
    ) as scheduler:
        say(scheduler.address)
        await asyncio.Event().wait()


async def _work_as(machines: int, endpoint: SchedulerEndpoint, slots: int, say: Say) -> None:
    await asyncio.gather(*(_work(endpoint, slots, say) for _ in range(machines)))


async def _work(endpoint: SchedulerEndpoint, slots: int, say: Say) -> None:
    complained = False
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
                local_directory=str(cache_root() / "travelled"),
                death_timeout=CONNECT_S,
            ) as worker:
                complained = False
                say(f"connected to {endpoint.address} with {slots} slots")
                await worker.finished()
                say(f"the connection to {endpoint.address} is lost")
        except (OSError, TimeoutError) as error:
            if not complained:
                told = to_one_line(str(error)) or type(error).__name__
                say(f"no scheduler answers at {endpoint.address} ({told}): trying until one does")
            complained = True
        finally:
            machine.slots.end_all()
        await asyncio.sleep(PAUSE_S)


def _run(serving: Coroutine[Any, Any, None]) -> None:
    """Run until SIGINT, SIGTERM or SIGHUP."""

    async def until_signal() -> None:
        task = asyncio.ensure_future(serving)
        loop = asyncio.get_running_loop()

        def end() -> None:
            _set_level(logging.CRITICAL)  # what is cut short by the end is no error
            task.cancel()

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, end)
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(until_signal())


def _be_quiet() -> None:
    """Let the library say only what is wrong.

    A coordinator that ends with copies of pairs in play is not, and neither is a program that
    connects without speaking as Dask does.
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
