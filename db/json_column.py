"""The codec of columns that hold JSON: sorted keys, so that equal values are equal texts."""

import msgspec


def to_json(value: object) -> str:
    """The text that a column stores for a value."""
    return msgspec.json.encode(value, order="sorted").decode()
