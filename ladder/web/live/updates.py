"""The events of a live page: changed parts, and boards in play."""

import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext

from db.errors import DatabaseError
from ladder.errors import LadderError
from ladder.web.live.boards import Boards
from ladder.web.live.change_signal import ChangeSignal
from ladder.web.live.events import KEEPALIVE, KEEPALIVE_S, Events, event
from ladder.web.live.follower import Follower
from ladder.web.live.views import NOTHING, View, ViewMarks

PACE_S = 0.9
"""Shortest interval between two updates of a page's parts."""
RETRY_S = 1.0
"""Retry interval after an error; recovery may not change the database."""


async def updates(
    changes: ChangeSignal,
    follower: Follower,
    boards: Boards | None,
    get: Callable[[], Awaitable[View]],
    last_seen: str,
) -> Events:
    """Yield the events of a page: at first the difference to what it shows, then changes.

    Args:
        changes: the signal of the follower and the boards.
        follower: counts the changes of the database.
        boards: the boards in play; None for a page without boards.
        get: returns the current view.
        last_seen: the digest of the view that the page shows; empty if unknown.

    """
    parts = _Parts(follower, get, last_seen)
    frame = b""
    with nullcontext() if boards is None else boards.watched():
        while True:
            seen = changes.count
            block = await parts.event() if parts.is_due() else b""
            if boards is not None and boards.frame is not frame:
                frame = boards.frame
                block += frame
            if block:
                yield block
            elif not await changes.wait(seen, parts.wait_s()) and not parts.is_due():
                yield KEEPALIVE


class _Parts:
    """The state of a page's parts: what it shows, and when it is updated next."""

    def __init__(
        self, follower: Follower, get: Callable[[], Awaitable[View]], last_seen: str
    ) -> None:
        self._follower = follower
        self._get = get
        self._last_seen = last_seen
        self._shown: ViewMarks | None = None
        self._problem: str | None = None
        """The problem that the page shows."""
        self._version = -1
        """The version of the last view."""
        self._next = 0.0
        """The earliest time of the next update."""

    def is_due(self) -> bool:
        """Return whether the view should be refreshed now."""
        return self._is_outdated() and time.monotonic() >= self._next

    def wait_s(self) -> float:
        """Return how long to wait for a change."""
        if self._is_outdated():
            return max(self._next - time.monotonic(), 0.0)
        return KEEPALIVE_S

    def _is_outdated(self) -> bool:
        return self._problem is not None or self._follower.version != self._version

    async def event(self) -> bytes:
        """Return the event that brings the page up to date; empty if it is up to date."""
        self._version, begun = self._follower.version, time.monotonic()
        try:
            view = await self._get()
        except (DatabaseError, LadderError) as error:
            self._next = begun + RETRY_S
            if str(error) == self._problem:
                return b""
            self._problem = str(error)
            return event("problem", {"sentence": self._problem})
        self._next = begun + PACE_S
        self._version = view.version  # may be older than the last change
        shown, had_problem = self._shown, self._problem is not None
        self._shown, self._problem = view.marks, None
        if had_problem:
            return view.update(NOTHING)
        if view.marks.digest != (self._last_seen if shown is None else shown.digest):
            return view.update(shown or NOTHING)
        return b": up to date\n\n" if shown is None else b""
