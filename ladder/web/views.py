"""Cached pages: each is rendered once for all clients, and again after a change of the database."""

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

import msgspec

from db.errors import Corrupt, DatabaseError
from db.records.runs import RunStatus
from db.store import Store
from reports.html.live.parts import PageParts

Result = TypeVar("Result")
THREADS = 3
"""Several threads, so that a long query does not delay short ones."""
MAX_VIEWS = 64
"""Size of the cache; the least recently used views are dropped."""
FRESH_S = 0.8
"""Shortest time between two renderings of a view."""


class StoreThread:
    """A thread with its own connection to the database, which is opened again if it is replaced.

    Attributes:
        opened: the number of connections so far.

    """

    def __init__(self, where: str) -> None:
        self.opened = 0
        self._where = where
        self._store: Store | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="reader")

    async def read(self, query: Callable[[Store], Result]) -> Result:
        """Run a function of the open store on the thread and return its result.

        Raises:
            DatabaseError: the database cannot be read now.

        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self.run, query)

    def close(self) -> None:
        """End the thread after its query."""
        self._thread.submit(self._close_store)
        self._thread.shutdown(wait=False)

    def run(self, query: Callable[[Store], Result]) -> Result:
        """Run a function of the open store; for the thread. Raises DatabaseError."""
        try:
            return query(self._open())
        except DatabaseError as error:
            raise self._close_after(error) from error

    def _open(self) -> Store:
        if self._store is not None and self._store.is_replaced:
            self._close_store()
        if self._store is None:
            self._store = Store.follow(self._where)
            self.opened += 1
        return self._store

    def _close_store(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def _close_after(self, error: DatabaseError) -> DatabaseError:
        """Close the store, and return the error that describes what is wrong with the database.

        To a connection that is open while another version of this program migrates the database,
        a missing column looks like damage. Opening it again shows the versions.
        """
        self._close_store()
        if isinstance(error, Corrupt):
            try:
                self._open()
            except DatabaseError as reason:
                return reason
        return error


class Readers:
    """A few threads that run functions of an open store."""

    def __init__(self, where: str) -> None:
        self._threads = [StoreThread(where) for _ in range(THREADS)]
        self._idle: asyncio.LifoQueue[StoreThread] = asyncio.LifoQueue()
        for thread in self._threads:
            self._idle.put_nowait(thread)

    async def read(self, query: Callable[[Store], Result]) -> Result:
        """Run a function on an idle thread and return its result. Raises DatabaseError."""
        thread = await self._idle.get()
        try:
            return await thread.read(query)
        finally:
            self._idle.put_nowait(thread)

    def close(self) -> None:
        """End the threads after their queries."""
        for thread in self._threads:
            thread.close()


class Changes:
    """Counts the changes that other processes make to a database, and ends and deaths of runs."""

    def __init__(self, where: str) -> None:
        self._thread = StoreThread(where)
        self.close = self._thread.close
        self._count = 0
        self._mark: object = None
        self._state: object = None
        self._running: list[int] = []
        """The runs in play at the change mark `_mark`."""

    async def count(self) -> int:
        """Return the number of changes so far. Raises DatabaseError."""
        try:
            state = await self._thread.read(self._read)
        except DatabaseError:
            self._state = None
            raise
        self._count += state != self._state
        self._state = state
        return self._count

    def _read(self, store: Store) -> object:
        # Change marks of different connections do not compare.
        mark = self._thread.opened, store.change_mark()
        if self._state is None or mark != self._mark:
            self._mark = mark
            self._running = [run.id for run in store.runs.find(status=RunStatus.RUNNING)]
        if not self._running:
            return mark
        with contextlib.suppress(DatabaseError), contextlib.closing(store.run_lock()) as lock:
            return mark, tuple(run for run in self._running if lock.is_alive(run))
        return mark


@dataclass(slots=True)
class LivePage:
    """A whole page at one moment."""

    html: bytes
    etag: str
    version: int
    """The number of changes of the database before it."""
    looked_at: float
    """When it was last found to be current, in seconds of `time.monotonic`."""


RenderParts = Callable[[Store], PageParts]
Frame = Callable[[PageParts, str], str]
"""Renders a whole page from its parts and its digest."""


class Views:
    """The cache of views."""

    def __init__(self, readers: Readers, changes: Changes) -> None:
        self._readers = readers
        self._changes = changes
        self._cached: OrderedDict[Hashable, LivePage] = OrderedDict()
        self._making: dict[Hashable, asyncio.Task[LivePage]] = {}

    async def get(self, key: Hashable, render: RenderParts, frame: Frame) -> LivePage:
        """Return the view of a key; it reflects the last change, or is younger than `FRESH_S`.

        Raises:
            DatabaseError: the database cannot be read now.

        """
        known = self._cached.get(key)
        if known is not None and time.monotonic() - known.looked_at < FRESH_S:
            return known
        task = self._making.get(key)
        if task is None:
            task = asyncio.create_task(self._make(key, known, render, frame))
            self._making[key] = task
            task.add_done_callback(lambda _: self._making.pop(key, None))
        return await asyncio.shield(task)

    async def _make(
        self, key: Hashable, known: LivePage | None, render: RenderParts, frame: Frame
    ) -> LivePage:
        version, now = await self._changes.count(), time.monotonic()
        if known is not None and known.version == version:
            known.looked_at = now
            return known

        def make(store: Store) -> LivePage:
            page = render(store)
            content = (page.title, page.parts, page.charts, page.games)
            digest = sha256(msgspec.json.encode(content)).hexdigest()[:16]
            if known is not None and known.etag == f'"{digest}"':
                known.version, known.looked_at = version, now
                return known
            return LivePage(frame(page, digest).encode(), f'"{digest}"', version, now)

        view = await self._readers.read(make)
        self._cached[key] = view
        self._cached.move_to_end(key)
        while len(self._cached) > MAX_VIEWS:
            self._cached.popitem(last=False)
        return view
