"""The body of a request as a record."""

from typing import TypeVar

import msgspec

from ladder.web.errors import Refused

Decoded = TypeVar("Decoded")


def decode(body: bytes, kind: type[Decoded]) -> Decoded:
    """Decode a body of JSON. Raises Refused."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(f"the body of the request is not valid: {error}") from error
