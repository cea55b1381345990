"""Moves whose optional values are partly unusable, such as the NaN that Python's JSON may contain.

Only answers that `parse_reply` refuses come here, so that usual moves cost nothing.
"""

import json
import math
from typing import Any

import msgspec

from bots.player import Info
from bots.protocol import MoveReply

MOST_DIGITS = 300
"""Most digits of a number that is read as an integer."""


def unusable_words(value: str) -> str:
    """Return the predicate of a sentence about a bot that sends such a value."""
    return f"sends an unusable {value} with its move: it is left out"


def decode_usable(line: bytes) -> tuple[MoveReply, str] | None:
    """Decode a move without its unusable optional values, and describe the first of these.

    Returns:
        The move, and text such as ``info.value (NaN)``; None if the line is no move, or its column
        cannot be used.

    """
    try:
        found = json.loads(line, parse_int=_parse_integer)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("type") != "move":
        return None
    dropped: list[str] = []
    if isinstance(found.get("info"), dict):
        found["info"] = _usable(found["info"], Info, dropped, "info.")
    try:
        reply = msgspec.convert(_usable(found, MoveReply, dropped, ""), MoveReply)
    except msgspec.ValidationError:
        return None
    return reply, (dropped or ["a key that is not part of the protocol"])[0]


def _usable(
    values: dict[str, Any], kind: type[msgspec.Struct], dropped: list[str], prefix: str
) -> dict[str, Any]:
    """Return the values that fit their fields; describe optional ones that do not."""
    kept = {"type": "move"} if kind is MoveReply else {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name not in values:
            continue
        value = values[field.encode_name]
        if field.required or _fits(value, field.type):
            kept[field.encode_name] = value
        else:
            dropped.append(f"{prefix}{field.encode_name} ({json.dumps(value)[:40]})")
    return kept


def _fits(value: object, kind: Any) -> bool:
    try:
        converted = msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return not isinstance(converted, float) or math.isfinite(converted)


def _parse_integer(text: str) -> float:
    """Return an integer; infinity for one that Python would refuse to read."""
    return int(text) if len(text) <= MOST_DIGITS else math.inf
