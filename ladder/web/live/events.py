"""Server-sent events as bytes."""

from collections.abc import AsyncGenerator

import msgspec

Events = AsyncGenerator[bytes, None]
"""Finished server-sent events."""


def event(name: str, body: object) -> bytes:
    """One event of a name, with a body that becomes JSON."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), msgspec.json.encode(body))
