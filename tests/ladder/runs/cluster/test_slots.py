"""Work in the slots of a machine: what goes on when nobody waits for it any more, and what ends."""

import asyncio
import time
from functools import partial
from pathlib import Path

import pytest
from distributed import Client, Scheduler, Worker

from ladder.runs.cluster import machine


def write(folder: Path, seconds: float) -> None:
    """Note the begin and the end of some work."""
    (folder / "begun").touch()
    time.sleep(seconds)
    (folder / "done").touch()


async def appears(path: Path) -> None:
    """Wait for a file; only a test that fails waits long."""
    deadline = time.monotonic() + 120
    while not path.exists():
        assert time.monotonic() < deadline, path
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("is_preparation", [True, False])
def test_a_preparation_is_finished_without_its_run(tmp_path: Path, is_preparation: bool) -> None:
    """What is compiled serves the next run; a pair that nobody waits for is given up."""
    task = partial(machine.run_in_slot, write, tmp_path, 1.5 if is_preparation else 300.0)
    if is_preparation:
        task = partial(task, is_wanted=machine.is_serving)

    async def cancel_once_begun() -> None:
        quiet = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
        async with (
            Scheduler(host="127.0.0.1", port=0, **quiet) as scheduler,
            Worker(scheduler.address, nthreads=2, memory_limit=0, **quiet) as worker,
            Client(scheduler.address, asynchronous=True) as client,
        ):
            future = client.submit(task, pure=False)
            await appears(tmp_path / "begun")
            future.release()
            if is_preparation:
                await appears(tmp_path / "done")
            else:
                deadline = time.monotonic() + 120
                while worker.state.executing_count or worker.state.tasks:
                    assert time.monotonic() < deadline, worker.state.tasks
                    await asyncio.sleep(0.05)

    try:
        asyncio.run(cancel_once_begun())
    finally:
        machine.slots.end_all()  # they end with the thread that started them
    assert (tmp_path / "done").exists() == is_preparation
