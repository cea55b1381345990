"""Cached pages: each is rendered once for all clients, and again after a change."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from hashlib import sha256

import msgspec

from db.store import Store
from ladder.web.live.reading import Changes, Readers
from reports.html.live.parts import PageParts

MAX_VIEWS = 64
"""Size of the cache; the least recently used views are dropped."""
FRESH_S = 0.8
"""Shortest time between two renderings of a view."""


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

    def close(self) -> None:
        """End the thread that looks for changes."""
        self._changes.close()

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
            digest = digest_of(page)
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


def digest_of(page: PageParts) -> str:
    """Return a hash of a page's content."""
    content = (page.title, page.parts, page.charts, page.games)
    return sha256(msgspec.json.encode(content)).hexdigest()[:16]
