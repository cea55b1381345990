"""Threads that read the followed database, each with its own connection."""

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from db.errors import Corrupt, DatabaseError
from db.store import FollowedStore, Store
from ladder.web.errors import Busy

Result = TypeVar("Result")
THREADS = 3
"""Several threads, so that a long query does not delay short ones."""
MAX_QUEUED = 256
"""Largest number of queued reads; more are refused."""


class ReopenedStore:
    """A connection of one thread to the database, which is opened again if the file is replaced.

    Attributes:
        opened: the number of connections so far.

    """

    def __init__(self, where: str) -> None:
        self.opened = 0
        self._where = where
        self._store: FollowedStore | None = None

    def get(self) -> FollowedStore:
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

    def __init__(self, where: str, *, threads: int = THREADS) -> None:
        self._where = where
        self._jobs: queue.Queue[_Job | None] = queue.Queue(MAX_QUEUED)
        self._threads = [
            threading.Thread(target=self._work, name=f"reader {number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    async def read(self, query: Callable[[FollowedStore], Result]) -> Result:
        """Run a function on a thread and return its result.

        Raises:
            Busy: too many reads wait already.
            DatabaseError: the database cannot be read now.

        """
        job = _Job(query)
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            raise Busy from None
        found: Result = await asyncio.wrap_future(job.answer)
        return found

    def close(self) -> None:
        """End the threads and wait a moment for them."""
        while True:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is not None:
                job.answer.cancel()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join(0.5)

    def _work(self) -> None:
        store = ReopenedStore(self._where)
        while (job := self._jobs.get()) is not None:
            if not job.answer.set_running_or_notify_cancel():
                continue
            try:
                job.answer.set_result(job.query(store.get()))
            except DatabaseError as error:
                job.answer.set_exception(store.close_after(error))
            except BaseException as error:
                job.answer.set_exception(error)
        store.close()


class _Job:
    """A query and the future of its result."""

    def __init__(self, query: Callable[[FollowedStore], Any]) -> None:
        self.query = query
        self.answer: Future[Any] = Future()
