"""Encoding of columns that hold JSON."""

import msgspec


def to_json(value: object) -> str:
    """Return a value as JSON with sorted keys, so that equal values give equal texts."""
    return msgspec.json.encode(value, order="sorted").decode()
