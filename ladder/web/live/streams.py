"""Streams of events: one connection for each page that somebody looks at, and few for a browser.

A browser opens at most six connections to one server, for all its tabs together. So only so many
streams of one browser stay open; any further one is answered and ended at once, and comes again
after a second by itself. Each page then follows as well, and none waits for another.
"""

import asyncio
import contextlib
from collections import Counter

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ladder.web.live.events import Events

OF_A_BROWSER = 3
"""Streams of one browser that stay open."""
AT_ONCE = 600
"""Streams that stay open together."""
AGAIN_MS = 1000
"""After how long a browser opens a stream again that has ended."""
FIRST_S = 0.5
"""A stream that is ended at once waits so long for its first event."""

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class Streams:
    """The open streams of a server."""

    def __init__(self) -> None:
        self._of: Counter[str] = Counter()
        self._pumps: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        """End all streams."""
        for pump in self._pumps:
            pump.cancel()

    def open(self, browser: str, events: Events) -> "EventStream":
        """Answer a request of this browser with events.

        Args:
            browser: its cookie; a program without one has as many streams as there may be.
            events: finished ones, the first at once.

        """
        stays = self._of[browser] < OF_A_BROWSER or not browser
        stays = stays and self._of.total() < AT_ONCE
        return EventStream(self, browser, events, stays=stays)

    async def pump(self, browser: str, events: Events, send: Send) -> None:
        """Send events until there are no more, or all streams are closed."""
        pump = asyncio.current_task()
        assert pump is not None  # noqa: S101 - called in a task of its own
        self._of[browser] += 1
        self._pumps.add(pump)
        try:
            async for block in events:
                await send({"type": "http.response.body", "body": block, "more_body": True})
        finally:
            self._pumps.discard(pump)
            self._of[browser] -= 1
            if not self._of[browser]:
                del self._of[browser]


class EventStream(Response):
    """An answer that goes on until the page or the server ends it."""

    media_type = "text/event-stream"

    def __init__(self, streams: Streams, browser: str, events: Events, *, stays: bool) -> None:
        """The arguments are those of `Streams.open`; without `stays` it ends after one event."""
        super().__init__(headers=HEADERS)
        del self.headers["content-length"]
        self._streams = streams
        self._browser = browser
        self._events = events
        self._stays = stays

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the page has gone."""
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        retry = b"retry: %d\n\n" % AGAIN_MS
        await send({"type": "http.response.body", "body": retry, "more_body": True})
        if self._stays:
            work = self._streams.pump(self._browser, self._events, send)
        else:
            work = self._first(send)
        sending = asyncio.create_task(work)
        leaving = asyncio.create_task(_left(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, leaving):
                task.cancel()
            results = await asyncio.gather(sending, leaving, return_exceptions=True)
            await self._events.aclose()
        if isinstance(results[0], Exception):
            raise results[0]
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _first(self, send: Send) -> None:
        """Return the first event alone, as soon as there is one; the browser comes again."""
        with contextlib.suppress(TimeoutError, StopAsyncIteration):
            async with asyncio.timeout(FIRST_S):
                block = await anext(self._events)
            await send({"type": "http.response.body", "body": block, "more_body": True})


async def _left(receive: Receive) -> None:
    """Returns when the other end is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
