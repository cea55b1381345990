"""Threads that read the followed database, each with its own connection."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from db.errors import Corrupt, DatabaseError
from db.records.runs import RunStatus
from db.store import Store

Result = TypeVar("Result")
THREADS = 3
"""Several threads, so that a long query does not delay short ones."""
CLOSE_S = 0.5
"""Time to wait at the end for threads with queries."""
CHECK_S = 0.4
"""Shortest interval between two checks for changes."""


class ReopenedStore:
    """A connection of one thread to the database, which is opened again if the file is replaced.

    Attributes:
        opened: the number of connections so far.

    """

    def __init__(self, where: str) -> None:
        self.opened = 0
        self._where = where
        self._store: Store | None = None

    def get(self) -> Store:
        """Return the open store."""
        if self._store is not None and self._store.is_replaced:
            self.close()
        if self._store is None:
            self._store = Store.follow(self._where)
            self.opened += 1
        return self._store

    def close(self) -> None:
        """Close the store; `get` opens it again."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def close_after(self, error: DatabaseError) -> DatabaseError:
        """Close the store, and return the error that describes what is wrong with the database.

        To a connection that is open while another version of this program migrates the database,
        a missing column looks like damage. Opening it again shows the versions.
        """
        self.close()
        if isinstance(error, Corrupt):
            try:
                self.get()
            except DatabaseError as reason:
                return reason
        return error


class Readers:
    """A pool of threads that run functions of an open store."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._own = threading.local()
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="reader")

    async def read(self, query: Callable[[Store], Result]) -> Result:
        """Run a function on a thread and return its result.

        Raises:
            DatabaseError: the database cannot be read now.

        """
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._run, query)

    def close(self) -> None:
        """End the threads after their queries."""
        # Each connection is closed by its own thread; the barrier gives each thread one job.
        all_here = threading.Barrier(THREADS)
        for _ in range(THREADS):
            self._pool.submit(self._close_own, all_here)
        self._pool.shutdown(wait=False)

    def _close_own(self, all_here: threading.Barrier) -> None:
        with contextlib.suppress(threading.BrokenBarrierError):  # a thread has a long query
            all_here.wait(CLOSE_S)
        if hasattr(self._own, "store"):
            self._own.store.close()

    def _run(self, query: Callable[[Store], Result]) -> Result:
        if not hasattr(self._own, "store"):
            self._own.store = ReopenedStore(self._where)
        store: ReopenedStore = self._own.store
        try:
            return query(store.get())
        except DatabaseError as error:
            raise store.close_after(error) from error


class Changes:
    """Counts the changes that other processes make to a database, and ends and deaths of runs."""

    def __init__(self, where: str) -> None:
        self._store = ReopenedStore(where)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="changes")
        self._checked_at = 0.0
        self._count = 0
        self._mark: object = None
        self._state: object = None
        self._running: list[int] = []
        """The runs in play at the change mark `_mark`."""

    async def count(self) -> int:
        """Return the number of changes so far.

        Raises:
            DatabaseError: the database cannot be read now.

        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._check)

    def close(self) -> None:
        """End the thread."""
        self._thread.submit(self._store.close)
        self._thread.shutdown(wait=False)

    def _check(self) -> int:
        if time.monotonic() - self._checked_at >= CHECK_S:
            try:
                state = self._read()
            except DatabaseError as error:
                self._state = None
                raise self._store.close_after(error) from error
            self._count += state != self._state
            self._state, self._checked_at = state, time.monotonic()
        return self._count

    def _read(self) -> object:
        store = self._store.get()
        # Change marks of different connections do not compare.
        mark = self._store.opened, store.change_mark()
        if self._state is None or mark != self._mark:
            self._mark = mark
            self._running = [run.id for run in store.runs.find(status=RunStatus.RUNNING)]
        if not self._running:
            return mark
        with contextlib.suppress(DatabaseError), contextlib.closing(store.run_lock()) as lock:
            return mark, tuple(run for run in self._running if lock.is_alive(run))
        return mark
