"""Tasks in the slots of a machine that continue when their run has ended."""

import asyncio
import time
from functools import partial
from pathlib import Path

import pytest
from distributed import Client, Scheduler, Worker

from ladder.runs.cluster import machine

QUIET = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}


def write(folder: Path) -> None:
    """Note the begin and the end of some work."""
    (folder / "begun").touch()
    time.sleep(1.5)
    (folder / "done").touch()


async def appears(path: Path) -> None:
    """Wait for a file; only a test that fails waits long."""
    deadline = time.monotonic() + 120
    while not path.exists():
        assert time.monotonic() < deadline, path
        await asyncio.sleep(0.05)


@pytest.mark.slow
def test_a_preparation_is_finished_without_its_run(tmp_path: Path) -> None:
    """What is compiled serves the next run."""
    task = partial(machine.run_in_slot, write, tmp_path, is_wanted=machine.is_serving)

    async def cancel_once_begun() -> None:
        async with (
            Scheduler(host="127.0.0.1", port=0, **QUIET) as scheduler,
            Worker(scheduler.address, nthreads=1, memory_limit=0, **QUIET),
            Client(scheduler.address, asynchronous=True) as client,
        ):
            future = client.submit(task, pure=False)
            await appears(tmp_path / "begun")
            future.release()
            await appears(tmp_path / "done")

    try:
        asyncio.run(cancel_once_begun())
    finally:
        machine.slots.end_all()  # they end with the thread that started them
