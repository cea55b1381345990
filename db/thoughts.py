"""The thoughts of one game as one compact blob.

MessagePack of `db.records.Thought` arrays; values are rounded to three decimals, which is finer
than any player's estimate. The first byte tells how the rest is packed, so that another way can
be added without touching stored games.
"""

import zlib
from collections.abc import Sequence

import msgspec

from db.records import Thought

_PLAIN = b"\x00"
_ZLIB = b"\x01"
_WORTH_BYTES = 64
"""Below this size compression cannot win anything that matters."""

LIMIT = 1 << 40
"""The greatest count that is kept: bots may report any number, and sums must fit 64 bits."""

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[Thought, ...])


def encode(thoughts: Sequence[Thought]) -> bytes:
    """The blob of a game's thoughts; zlib only where it saves at least an eighth."""
    packed = _encoder.encode(
        [
            (
                t.time_us,
                # A whole number takes one byte in MessagePack where a float takes nine.
                None if t.value is None else round(max(-1.0, min(t.value, 1.0)) * 1000),
                None if t.simulations is None else max(0, min(t.simulations, LIMIT)),
                None if t.depth is None else max(0, min(t.depth, LIMIT)),
                t.proven,
            )
            for t in thoughts
        ]
    )
    if len(packed) >= _WORTH_BYTES:
        squeezed = zlib.compress(packed, 1)
        if 8 * len(squeezed) <= 7 * len(packed):
            return _ZLIB + squeezed
    return _PLAIN + packed


def decode(blob: bytes) -> tuple[Thought, ...]:
    """The thoughts of a blob.

    Raises:
        ValueError: the bytes were not written by `encode`.

    """
    kind, body = blob[:1], blob[1:]
    try:
        if kind == _ZLIB:
            body = zlib.decompress(body)
        elif kind != _PLAIN:
            raise ValueError(f"unknown packing {kind!r} of a game's thoughts")
        thoughts = _decoder.decode(body)
    except (msgspec.DecodeError, zlib.error) as error:
        raise ValueError(f"a game's thoughts cannot be read: {error}") from error
    for thought in thoughts:
        if thought.value is not None:
            thought.value /= 1000
    return thoughts
