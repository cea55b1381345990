"""Views of pages, made once for all who look at the same, and again after a change.

A view is a function of the store that gives the parts of a page by name: HTML that is put in place
as it is, and charts as Vega-Lite. A part that is the same as before is not sent again.
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

KEPT = 64
"""Views that are kept; the least recently used go first."""
UPDATES_KEPT = 4
"""Finished events of a view: most pages that follow it show the same view before."""
FRESH_S = 0.8
"""A view is not made again sooner, however often the database changes."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A view as a page that shows it is remembered: not with its parts, but with their marks."""

    digest: str
    parts: Mapping[str, bytes]
    charts: Mapping[str, bytes]


NOTHING = Shown("", {}, {})
"""The knowledge of a page that has just come."""


@dataclass(slots=True)
class View:
    """A page's parts at one moment."""

    page: PageParts
    version: int = 0
    made_at: float = 0.0
    shown: Shown = NOTHING
    _updates: dict[str, bytes] = field(default_factory=dict)
    _html: bytes | None = None

    def html(self, frame: Callable[[PageParts, str], str]) -> bytes:
        """Return the whole page; `frame` makes it of the parts and the digest, once."""
        if self._html is None:
            self._html = frame(self.page, self.shown.digest).encode()
        return self._html

    def update(self, before: Shown) -> bytes:
        """Return the event that turns a page that shows `before` into one that shows this."""
        known = self._updates.get(before.digest)
        if known is None:
            body = {
                "parts": _changed(self.page.parts, self.shown.parts, before.parts),
                "charts": _changed(self.page.charts, self.shown.charts, before.charts),
            }
            known = b"id: %s\nevent: update\ndata: %s\n\n" % (
                self.shown.digest.encode(),
                msgspec.json.encode(body),
            )
            if len(self._updates) < UPDATES_KEPT:
                self._updates[before.digest] = known
        return known


def _changed(
    values: Mapping[str, Any], marks: Mapping[str, bytes], before: Mapping[str, bytes]
) -> dict[str, Any]:
    return {name: value for name, value in values.items() if before.get(name) != marks[name]}


def shown_of(page: PageParts) -> Shown:
    """Return the marks of a page's parts, and of all that it shows."""
    parts = {name: _mark(part) for name, part in page.parts.items()}
    charts = {name: _mark(chart) for name, chart in page.charts.items()}
    return Shown(_mark((parts, charts, page.games)).hex(), parts, charts)


def _mark(value: object) -> bytes:
    return sha256(msgspec.json.encode(value)).digest()[:8]


Maker = Callable[[FollowedStore], View]


class Views:
    """Views by their keys."""

    def __init__(self, readers: Readers, follower: Follower) -> None:
        self._readers = readers
        self._follower = follower
        self._kept: OrderedDict[Hashable, View] = OrderedDict()
        self._making: dict[Hashable, asyncio.Task[View]] = {}

    async def get(self, key: Hashable, make: Maker) -> View:
        """Return the view of a key, not older than the last change or than `FRESH_S`.

        Raises:
            DatabaseError: the database cannot be read now.

        """
        known = self._kept.get(key)
        if known is not None:
            is_current = known.version == self._follower.version and not self._follower.problem
            if is_current or time.monotonic() - known.made_at < FRESH_S:
                self._kept.move_to_end(key)
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
        view.shown = shown_of(view.page)
        old = self._kept.get(key)
        if old is not None and old.shown == view.shown:
            old.version, old.made_at = view.version, view.made_at
            view = old
        self._kept[key] = view
        self._kept.move_to_end(key)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return view
