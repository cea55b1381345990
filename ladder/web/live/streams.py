"""Event streams of pages, of which only a few stay open per browser.

A browser opens at most six connections to a server, for all its tabs together. So only some streams
of a browser stay open. Every further stream ends after its first event, and the browser opens it
again after a second: each page is updated, and no page blocks another.
"""

import asyncio
import contextlib
from collections import Counter

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ladder.web.live.events import Events

MAX_PER_BROWSER = 3
"""Largest number of open streams of one browser."""
RETRY_MS = 1000
"""Time after which a browser reopens a stream that ended."""
FIRST_S = 0.5
"""Longest wait for the first event of a stream that does not stay open."""

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class Streams:
    """The open streams of a server."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self._pumps: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        """End all streams."""
        for pump in self._pumps:
            pump.cancel()

    def open(self, browser: str, events: Events) -> "EventStream":
        """Return a response that streams events.

        Args:
            browser: the browser's cookie; clients without a cookie have no limit of their own.
            events: encoded events.

        """
        stays_open = self._open[browser] < MAX_PER_BROWSER or not browser
        return EventStream(self, browser, events, stays_open=stays_open)

    async def pump(self, browser: str, events: Events, send: Send) -> None:
        """Send events until they end or all streams are closed."""
        pump = asyncio.current_task()
        assert pump is not None  # noqa: S101 - called in a task of its own
        self._open[browser] += 1
        self._pumps.add(pump)
        try:
            async for block in events:
                await send({"type": "http.response.body", "body": block, "more_body": True})
        finally:
            self._pumps.discard(pump)
            self._open[browser] -= 1
            if not self._open[browser]:
                del self._open[browser]


class EventStream(Response):
    """A response that lasts until the page or the server ends it."""

    media_type = "text/event-stream"

    def __init__(self, streams: Streams, browser: str, events: Events, *, stays_open: bool) -> None:
        """Set the stream up as `Streams.open` does; without `stays_open` it sends one event."""
        super().__init__(headers=HEADERS)
        del self.headers["content-length"]
        self._streams = streams
        self._browser = browser
        self._events = events
        self._stays_open = stays_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the client disconnects."""
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        retry = b"retry: %d\n\n" % RETRY_MS
        await send({"type": "http.response.body", "body": retry, "more_body": True})
        if self._stays_open:
            work = self._streams.pump(self._browser, self._events, send)
        else:
            work = self._send_first(send)
        sending = asyncio.create_task(work)
        leaving = asyncio.create_task(_wait_for_disconnect(receive))
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

    async def _send_first(self, send: Send) -> None:
        """Send only the first event; the browser reopens the stream."""
        with contextlib.suppress(TimeoutError, StopAsyncIteration):
            async with asyncio.timeout(FIRST_S):
                block = await anext(self._events)
            await send({"type": "http.response.body", "body": block, "more_body": True})


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
