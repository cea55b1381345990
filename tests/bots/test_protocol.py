"""The codec of the protocol."""

import contextlib

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


def test_messages_are_read_as_they_were_written() -> None:
    """What one side writes is what the other reads, on one line."""
    for messages, decode in ((REQUESTS, decode_request), (REPLIES, decode_reply)):
        for message in messages:
            line = encode(message)
            assert line.count(b"\n") == 1
            assert decode(line) == message


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
