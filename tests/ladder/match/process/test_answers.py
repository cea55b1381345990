"""Moves with optional values that cannot be used."""

import pytest

from bots.errors import ProtocolError
from bots.protocol import Info, MoveReply, decode_reply
from ladder.match.process.answers import decode_usable


@pytest.mark.parametrize(
    ("rest", "info", "dropped"),
    [
        ('"info":{"value":NaN,"depth":3}', Info(depth=3), "info.value (NaN)"),
        ('"info":{"value":-Infinity}', Info(), "info.value (-Infinity)"),
        ('"info":{"value":1e999}', Info(), "info.value (Infinity)"),
        ('"info":{"depth":"deep","nodes":5}', Info(nodes=5), 'info.depth ("deep")'),
        ('"info":{"pv":[1,"x"]}', Info(), 'info.pv ([1, "x"])'),
        ('"info":{"proven":"WIN"}', Info(), 'info.proven ("WIN")'),
        ('"info":{"tree":' + "9" * 5000 + "}", Info(), "info.tree (Infinity)"),
        ('"info":"none"', None, 'info ("none")'),
        ('"ply":"3"', None, 'ply ("3")'),
        ('"mine":NaN', None, "a key that is not part of the protocol"),
    ],
)
def test_an_optional_value_that_cannot_be_used_is_left_out(
    rest: str, info: Info | None, dropped: str
) -> None:
    """The move and all usable values stay."""
    line = f'{{"type":"move","column":3,{rest}}}'.encode()
    with pytest.raises(ProtocolError):
        decode_reply(line)
    usable = decode_usable(line)
    assert usable is not None
    assert usable[0] == MoveReply(3, info)
    assert usable[1].startswith(dropped)


@pytest.mark.parametrize(
    "line",
    ['{"type":"move","column":NaN}', '{"type":"move"}', '{"type":"ready","x":NaN}', "[]", "\xff"],
)
def test_what_is_no_move_stays_unreadable(line: str) -> None:
    """The column is not optional."""
    assert decode_usable(line.encode("latin-1")) is None
