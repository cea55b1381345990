"""Server-sent events: one connection for each page that somebody looks at, and few for a browser.

A browser opens at most six connections to one server, for all its tabs together. So only so many
streams of one browser stay open; any further one is answered and ended at once, and comes again
after a second by itself. Each page then follows as well, and none waits for another.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable

import msgspec
from starlette.responses import StreamingResponse

from db.errors import DatabaseError
from ladder.errors import LadderError
from ladder.web.follower import Follower
from ladder.web.views import View

OF_A_BROWSER = 3
"""Streams of one browser that stay open."""
AT_ONCE = 600
"""Streams that stay open together."""
AGAIN_MS = 1000
"""After how long a browser opens a stream again that has ended."""
PACE_S = 0.9
"""Between two updates of one page."""
STILL_S = 10.0
"""After so long without news a comment is sent, so that a page that has gone is noticed."""

Events = AsyncGenerator[bytes, None]
"""Finished server-sent events."""
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class Streams:
    """The open streams of a server."""

    def __init__(self) -> None:
        self._of: Counter[str] = Counter()
        self._closing = asyncio.Event()
        self._finishing: set[asyncio.Future[None]] = set()

    @property
    def count(self) -> int:
        """How many are open."""
        return self._of.total()

    def close(self) -> None:
        """End all streams."""
        self._closing.set()

    def open(self, browser: str, events: Events) -> StreamingResponse:
        """Answer a request of this browser with events.

        Args:
            browser: its cookie; a program without one counts by its address.
            events: finished ones, the first at once.

        """
        stays = self._of[browser] < OF_A_BROWSER or not browser
        stays = stays and self.count < AT_ONCE
        return StreamingResponse(
            self._counted(browser, events) if stays else self._once(events),
            media_type="text/event-stream",
            headers=HEADERS,
        )

    async def _counted(self, browser: str, events: Events) -> Events:
        self._of[browser] += 1
        ended = asyncio.ensure_future(self._closing.wait())
        step: asyncio.Future[bytes] | None = None
        try:
            yield b"retry: %d\n\n" % AGAIN_MS
            while True:
                step = asyncio.ensure_future(anext(events))
                await asyncio.wait((step, ended), return_when=asyncio.FIRST_COMPLETED)
                if not step.done():
                    return
                try:
                    yield step.result()
                except StopAsyncIteration:
                    return
        finally:
            # Nothing is awaited here: the answer may have been cancelled, which ends every wait.
            ended.cancel()
            self._finish(events, step)
            self._of[browser] -= 1
            if not self._of[browser]:
                del self._of[browser]

    def _finish(self, events: Events, step: "asyncio.Future[bytes] | None") -> None:
        """Let the events notice that nobody reads them any more."""
        if step is not None and not step.done():
            step.cancel()
            return
        closing = asyncio.ensure_future(events.aclose())
        self._finishing.add(closing)
        closing.add_done_callback(self._finishing.discard)

    async def _once(self, events: Events) -> Events:
        """The first event alone, as soon as there is one; the browser comes again."""
        yield b"retry: %d\n\n" % AGAIN_MS
        try:
            async with asyncio.timeout(0.5):
                first = await anext(events)
            yield first
        except (TimeoutError, StopAsyncIteration):
            return
        finally:
            self._finish(events, None)


def event(name: str, body: object) -> bytes:
    """One event of a name, with a body that becomes JSON."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), msgspec.json.encode(body))


async def updates(follower: Follower, get: Callable[[], Awaitable[View]], last_seen: str) -> Events:
    """The events of a page: at first what differs from what it has, then what changes.

    Args:
        follower: tells of changes.
        get: gives the view of now.
        last_seen: the digest of the view that the page shows; empty: unknown.

    """
    shown: View | None = None
    told: str | None = None
    while True:
        version, begun = follower.version, time.monotonic()
        try:
            view = await get()
        except (DatabaseError, LadderError) as error:
            if str(error) != told:
                told = str(error)
                yield event("problem", {"sentence": told})
        else:
            if told is not None or view.digest != (last_seen if shown is None else shown.digest):
                yield view.update(None if told is not None else shown)
            elif shown is None:
                yield b": as you have it\n\n"
            shown, told, version = view, None, view.version  # it may be older than the last change
        await asyncio.sleep(max(0.0, PACE_S - (time.monotonic() - begun)))
        while not await follower.changed(version, STILL_S if told is None else AGAIN_MS / 1000):
            if told is not None:
                break  # what was wrong may be over without a change of the database
            yield b": still here\n\n"
