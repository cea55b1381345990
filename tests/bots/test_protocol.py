"""The codec of the protocol."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.errors import ProtocolError
from bots.protocol import (
    Budget,
    ErrorReply,
    GameOver,
    Hello,
    HelloReply,
    Info,
    MoveAsk,
    MoveReply,
    NewGame,
    Quit,
    Ready,
    Reply,
    Request,
    decode_reply,
    decode_request,
    encode,
)

REQUESTS: list[Request] = [
    Hello(),
    NewGame("g", 10, 11, 0, 123, Budget(time_ms=100), forbidden=(3, 4), player="v17"),
    NewGame("g", 6, 7, 1, 2**53 - 1, Budget(simulations=5)),
    MoveAsk(3, (5, 5, 4)),
    GameOver("win", "four_in_a_row"),
    Quit(),
]
REPLIES: list[Reply] = [
    HelloReply("x", "1", ("time", "simulations"), ("standard", "forbidden")),
    Ready(),
    MoveReply(6, Info(simulations=51234, value=0.31, proven="win", distance=5, pv=(6, 5, 6)), 3),
    MoveReply(0),
    ErrorReply("no"),
]


@pytest.mark.parametrize("message", REQUESTS, ids=repr)
def test_requests_are_read_as_they_were_written(message: Request) -> None:
    """What the harness writes is what the bot reads, on one line."""
    line = encode(message)
    assert line.count(b"\n") == 1
    assert decode_request(line) == message


@pytest.mark.parametrize("message", REPLIES, ids=repr)
def test_replies_are_read_as_they_were_written(message: Reply) -> None:
    """What the bot writes is what the harness reads, on one line."""
    line = encode(message)
    assert line.count(b"\n") == 1
    assert decode_reply(line) == message


def test_unknown_keys_are_ignored() -> None:
    """Newer bots and harnesses may send more keys."""
    assert decode_reply(b'{"type":"move","column":6,"mood":"good"}') == MoveReply(6)
    assert decode_request(b'{"type":"quit","why":1}') == Quit()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"6",
        b"hello",
        b'{"type":"dance"}',
        b'{"column":6}',
        b'{"type":"move"}',
        b'{"type":"move","column":"6"}',
        b'{"type":"move","column":6.5}',
        b"[" * 5000,
        b"\xff\xfe",
    ],
)
def test_an_invalid_line_is_a_protocol_error(line: bytes) -> None:
    """It raises ProtocolError and no other exception."""
    with pytest.raises(ProtocolError):
        decode_reply(line)


@given(st.binary(max_size=80))
def test_arbitrary_bytes_are_decoded_or_refused(line: bytes) -> None:
    with contextlib.suppress(ProtocolError):
        decode_reply(line)


@pytest.mark.parametrize(
    "amounts", [{}, {"time_ms": 0}, {"time_ms": 5, "nodes": 5}, {"simulations": -1}]
)
def test_a_budget_is_exactly_one_amount(amounts: dict[str, Any]) -> None:
    """No budget, two budgets and a budget of nothing are refused."""
    with pytest.raises(ValueError, match="exactly one"):
        Budget(**amounts)
