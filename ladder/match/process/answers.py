"""Bots' answers: decoded, and of the type that the question asks for.

Moves may hold optional values that cannot be used, such as the NaN of Python's JSON. Only answers
that `decode_reply` refuses are searched for them, so that usual moves cost nothing.
"""

import json
import math
from codecs import BOM_UTF8
from typing import Any, TypeVar

import msgspec

from bots.errors import ProtocolError
from bots.player import Info
from bots.protocol import (
    HelloReply,
    MoveAsk,
    MoveReply,
    Ready,
    Request,
    Resign,
    decode_reply,
)
from ladder.match.process import failures

R = TypeVar("R", HelloReply, Ready)
MOST_DIGITS = 300
"""Most digits of a number that is read as an integer."""


def decode_answer(kind: type[R], question: Request, data: bytes) -> R:
    """Decode the answer to a question other than that for a move. Raises BotFailure."""
    try:
        reply = decode_reply(data.removeprefix(BOM_UTF8))
    except ProtocolError as error:
        raise failures.unreadable_failure(question, data, error) from None
    if isinstance(reply, kind):
        return reply
    raise failures.wrong_reply_failure(question, reply)


def decode_move(question: MoveAsk, data: bytes) -> tuple[MoveReply | Resign, str]:
    """Decode a move or a resignation, and describe an optional value that cannot be used.

    Raises BotFailure.
    """
    data = data.removeprefix(BOM_UTF8)
    unusable = ""
    try:
        reply = decode_reply(data)
    except ProtocolError as error:
        usable = decode_usable(data)
        if usable is None:
            raise failures.unreadable_failure(question, data, error) from None
        reply, unusable = usable
    if isinstance(reply, MoveReply):
        if reply.ply is None or reply.ply == question.ply:
            return reply, unusable
    elif isinstance(reply, Resign):
        return reply, unusable
    raise failures.wrong_reply_failure(question, reply)


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
