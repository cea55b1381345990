"""Cached views: each is rendered once for all clients, and again after a change.

A view has the parts of a page by name, as HTML, and its charts as Vega-Lite. Only changed parts are
sent to a page.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import msgspec

from db.store import FollowedStore
from ladder.web.live.follower import Follower
from ladder.web.live.reading import Readers
from reports.html.live.parts import PageParts

MAX_VIEWS = 64
"""Size of the cache; the least recently used views are dropped."""
MAX_UPDATES = 4
"""Number of cached events of a view: most pages showed the same view before."""
FRESH_S = 0.8
"""Shortest time between two renderings of a view."""


@dataclass(frozen=True, slots=True)
class ViewMarks:
    """Hashes of a view's parts, by which changed parts are found."""

    digest: str
    parts: Mapping[str, bytes]
    charts: Mapping[str, bytes]


NOTHING = ViewMarks("", {}, {})
"""The marks of a page whose content is unknown."""


@dataclass(slots=True)
class View:
    """A page's parts at one moment."""

    page: PageParts
    version: int = 0
    made_at: float = 0.0
    marks: ViewMarks = NOTHING
    _updates: dict[str, bytes] = field(default_factory=dict)
    _html: bytes | None = None

    def html(self, frame: Callable[[PageParts, str], str]) -> bytes:
        """Return the whole page; `frame` renders it once, with its parts and digest."""
        if self._html is None:
            self._html = frame(self.page, self.marks.digest).encode()
        return self._html

    def update(self, before: ViewMarks) -> bytes:
        """Return the event that updates a page with the marks `before` to this view."""
        known = self._updates.get(before.digest)
        if known is None:
            body = {
                "parts": _changed(self.page.parts, self.marks.parts, before.parts),
                "charts": _changed(self.page.charts, self.marks.charts, before.charts),
            }
            known = b"id: %s\nevent: update\ndata: %s\n\n" % (
                self.marks.digest.encode(),
                msgspec.json.encode(body),
            )
            if len(self._updates) < MAX_UPDATES:
                self._updates[before.digest] = known
        return known


def _changed(
    values: Mapping[str, Any], marks: Mapping[str, bytes], before: Mapping[str, bytes]
) -> dict[str, Any]:
    return {name: value for name, value in values.items() if before.get(name) != marks[name]}


def hash_parts(page: PageParts) -> ViewMarks:
    """Return the hashes of a page's parts and the digest of the whole page."""
    parts = {name: _hash(part) for name, part in page.parts.items()}
    charts = {name: _hash(chart) for name, chart in page.charts.items()}
    return ViewMarks(_hash((parts, charts, page.games)).hex(), parts, charts)


def _hash(value: object) -> bytes:
    return sha256(msgspec.json.encode(value)).digest()[:8]


Maker = Callable[[FollowedStore], View]


class Views:
    """The cache of views."""

    def __init__(self, readers: Readers, follower: Follower) -> None:
        self._readers = readers
        self._follower = follower
        self._cached: OrderedDict[Hashable, View] = OrderedDict()
        self._making: dict[Hashable, asyncio.Task[View]] = {}

    async def get(self, key: Hashable, make: Maker) -> View:
        """Return the view of a key; it reflects the last change, or is younger than `FRESH_S`.

        Raises:
            DatabaseError: the database cannot be read now.

        """
        known = self._cached.get(key)
        if known is not None:
            is_current = known.version == self._follower.version and not self._follower.problem
            if is_current or time.monotonic() - known.made_at < FRESH_S:
                self._cached.move_to_end(key)
                return known
        task = self._making.get(key)
        if task is None:
            task = asyncio.create_task(self._make(key, make))
            self._making[key] = task
            task.add_done_callback(lambda _: self._making.pop(key, None))
        return await asyncio.shield(task)

    async def _make(self, key: Hashable, make: Maker) -> View:
        version = self._follower.version
        view = await self._readers.read(make)
        view.version, view.made_at = version, time.monotonic()
        view.marks = hash_parts(view.page)
        old = self._cached.get(key)
        if old is not None and old.marks == view.marks:
            old.version, old.made_at = view.version, view.made_at
            view = old
        self._cached[key] = view
        self._cached.move_to_end(key)
        while len(self._cached) > MAX_VIEWS:
            self._cached.popitem(last=False)
        return view
