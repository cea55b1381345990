"""Server-sent events as bytes."""

from collections.abc import AsyncGenerator

import msgspec

Events = AsyncGenerator[bytes, None]
"""Encoded server-sent events."""
KEEPALIVE_S = 10.0
"""Time without an event after which a comment is sent, so that a closed page is detected."""
KEEPALIVE = b": keep-alive\n\n"


def event(name: str, body: object) -> bytes:
    """Encode an event with a JSON body."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), msgspec.json.encode(body))
