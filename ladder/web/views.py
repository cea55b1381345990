"""Cached pages: each is rendered once for all clients, and again after a change of the database."""

import asyncio
import contextlib
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TypeVar

from db.errors import Busy, DatabaseError, UnknownRow
from db.records.runs import RunStatus
from db.store import Store

Result = TypeVar("Result")
MAX_VIEWS = 64
"""Size of the cache; the least recently used views are dropped."""
FRESH_S = 0.8
"""Shortest time between two renderings of a view."""


class Changes:
    """Follows a database: counts the changes that other processes make, and deaths of its runs.

    One thread answers one query after the other: a long one delays all others.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        # Marks of different connections do not compare, so one stays open. An open store also
        # counts a million games once, and later those that are new.
        self._store: Store | None = None
        self._thread = ThreadPoolExecutor(1)
        self._count = 0
        self._mark: object = None
        self._state: object = None
        self._running: list[int] = []
        """The runs in play at the change mark `_mark`."""

    async def count(self) -> int:
        """Return the number of changes so far. Raises DatabaseError."""
        return await self.read(self._count_changes)

    async def read(self, query: Callable[[Store], Result]) -> Result:
        """Run a function of the open store in its thread. Raises DatabaseError."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, query)

    def close(self) -> None:
        """End the thread after its query."""
        self._thread.submit(self._close)
        self._thread.shutdown(wait=False)

    def _run(self, query: Callable[[Store], Result]) -> Result:
        if self._store is None or self._store.is_replaced:
            self._close()
            self._store = Store.follow(self._where)
        try:
            return query(self._store)
        except (UnknownRow, Busy):  # the store is as good as before
            raise
        except DatabaseError:
            self._close()
            raise

    def _count_changes(self, store: Store) -> int:
        state = self._look(store)
        self._count += state != self._state
        self._state = state
        return self._count

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store = self._mark = self._state = None

    def _look(self, store: Store) -> object:
        mark = store.change_mark()
        if mark != self._mark:
            self._mark = mark
            self._running = [run.id for run in store.runs.find(status=RunStatus.RUNNING)]
        if not self._running:
            return mark
        with contextlib.suppress(DatabaseError), contextlib.closing(store.run_lock()) as lock:
            return mark, tuple(run for run in self._running if lock.is_alive(run))
        return mark


@dataclass(slots=True)
class CachedPage:
    """A whole page at one moment."""

    html: bytes = b""
    etag: str = ""
    version: int = 0
    """The number of changes of the database before it."""
    looked_at: float = -math.inf
    """When it was last found to be current, in seconds of `time.monotonic`."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while it is rendered."""


class Views:
    """The cache of views."""

    def __init__(self, where: str) -> None:
        self._changes = Changes(where)
        self.read, self.close = self._changes.read, self._changes.close
        self._cached: OrderedDict[Hashable, CachedPage] = OrderedDict()

    async def get(self, key: Hashable, render: Callable[[Store], str]) -> CachedPage:
        """Return the view of a key; it reflects the last change, or is younger than `FRESH_S`.

        Raises:
            DatabaseError: the database cannot be read now.

        """
        view = self._cached.setdefault(key, CachedPage())
        self._cached.move_to_end(key)
        while len(self._cached) > MAX_VIEWS:
            self._cached.popitem(last=False)
        async with view.lock:
            now = time.monotonic()
            if now - view.looked_at >= FRESH_S:
                version = await self._changes.count()
                if version != view.version:
                    html = await self.read(render)
                    digest = sha256(html.encode()).hexdigest()[:16]
                    shown = html.replace('data-live=""', f'data-live="{digest}"', 1)
                    view.html, view.etag, view.version = shown.encode(), f'"{digest}"', version
                view.looked_at = now
        return view
