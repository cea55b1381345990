"""The thread that writes what visitors change: the queue and the last use of tokens."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from db.store import RetryPolicy, Store

Result = TypeVar("Result")
BUSY_S = 5.0
"""Time to wait for another process that writes: a visitor waits, too."""


def open_to_write(where: str) -> Store:
    """Open the database for a change of a visitor. Raises DatabaseError."""
    return Store.open(where, create=False, busy_s=BUSY_S, retry_policy=RetryPolicy(BUSY_S))


class Writer:
    """Runs functions of a writable store in one thread, which opens the database for each."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._thread = ThreadPoolExecutor(1, "writer")

    async def write(self, change: Callable[[Store], Result]) -> Result:
        """Run a function and return its result. Raises DatabaseError."""

        def run() -> Result:
            with open_to_write(self._where) as store:
                return change(store)

        return await asyncio.get_running_loop().run_in_executor(self._thread, run)

    def close(self) -> None:
        """Drop what waits."""
        self._thread.shutdown(wait=False, cancel_futures=True)
