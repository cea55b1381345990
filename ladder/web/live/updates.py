"""The events of a page that follows: what changes in its parts, and the boards in play."""

import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext

from db.errors import DatabaseError
from ladder.errors import LadderError
from ladder.web.live.boards import Boards
from ladder.web.live.change_signal import ChangeSignal
from ladder.web.live.events import Events, event
from ladder.web.live.follower import Follower
from ladder.web.live.views import NOTHING, Shown, View

PACE_S = 0.9
"""Between two updates of the parts of one page."""
STILL_S = 10.0
"""After so long without news a comment is sent, so that a page that has gone is noticed."""
RETRY_S = 1.0
"""After so long it is looked whether a problem is over, for that may be no change."""
STILL = b": still here\n\n"


async def updates(
    news: ChangeSignal,
    follower: Follower,
    boards: Boards | None,
    get: Callable[[], Awaitable[View]],
    last_seen: str,
) -> Events:
    """Return the events of a page: at first what differs from what it has, then what changes.

    Args:
        news: of the follower and the boards.
        follower: tells of changes.
        boards: those in play; None: the page shows none.
        get: gives the view of now.
        last_seen: the digest of the view that the page shows; empty: unknown.

    """
    parts = _Parts(follower, get, last_seen)
    frame = b""
    with nullcontext() if boards is None else boards.watched():
        while True:
            seen = news.count
            block = await parts.event() if parts.is_due() else b""
            if boards is not None and boards.frame is not frame:
                frame = boards.frame
                block += frame
            if block:
                yield block
            elif not await news.wait(seen, parts.patience_s()) and not parts.is_due():
                yield STILL


class _Parts:
    """The parts of one page: what it shows, and when to look for what it should show."""

    def __init__(
        self, follower: Follower, get: Callable[[], Awaitable[View]], last_seen: str
    ) -> None:
        self._follower = follower
        self._get = get
        self._last_seen = last_seen
        self._shown: Shown | None = None
        self._told: str | None = None
        """The problem that the page shows."""
        self._version = -1
        """Of what was looked at last."""
        self._next = 0.0
        """When it may be looked again."""

    def is_due(self) -> bool:
        """Return whether it is to be looked now."""
        return self._is_wanted() and time.monotonic() >= self._next

    def patience_s(self) -> float:
        """How long there is nothing to do without news."""
        if self._is_wanted():
            return max(self._next - time.monotonic(), 0.0)
        return STILL_S

    def _is_wanted(self) -> bool:
        return self._told is not None or self._follower.version != self._version

    async def event(self) -> bytes:
        """Return the event that brings the page up to date; empty: it is."""
        self._version, begun = self._follower.version, time.monotonic()
        try:
            view = await self._get()
        except (DatabaseError, LadderError) as error:
            self._next = begun + RETRY_S
            if str(error) == self._told:
                return b""
            self._told = str(error)
            return event("problem", {"sentence": self._told})
        self._next = begun + PACE_S
        self._version = view.version  # it may be older than the last change
        shown, was_wrong = self._shown, self._told is not None
        self._shown, self._told = view.shown, None
        if was_wrong:
            return view.update(NOTHING)
        if view.shown.digest != (self._last_seen if shown is None else shown.digest):
            return view.update(shown or NOTHING)
        return b": as you have it\n\n" if shown is None else b""
