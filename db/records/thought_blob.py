"""The thoughts of one game as one compact blob.

MessagePack of `db.records.games.Thought` arrays. Values are kept as thousandths, which take three
bytes where a float takes nine and are finer than any player's estimate. Processor time is kept as
its difference to the wall time, which is small for a bot that thinks. Compression on top would save
at most a quarter, and cost as much time as writing the game.

"""

from collections.abc import Sequence

import msgspec

from db.records.games import Thought

LIMIT = 1 << 40
"""The greatest count that is kept: bots may report any number, and sums must fit 64 bits."""

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[Thought, ...])


def encode(thoughts: Sequence[Thought]) -> bytes:
    """The blob of a game's thoughts."""
    return _encoder.encode([_packed(thought) for thought in thoughts])


def _packed(thought: Thought) -> tuple[int | str | None, ...]:
    value, count, depth = thought.value, thought.simulations, thought.depth
    if value is not None:
        value = round(max(-1.0, min(value, 1.0)) * 1000)
    if count is not None and not 0 <= count <= LIMIT:
        count = bounded(count)
    if depth is not None and not 0 <= depth <= LIMIT:
        depth = bounded(depth)
    idle_us = None if thought.cpu_us is None else thought.time_us - thought.cpu_us
    if thought.line:
        return thought.time_us, value, count, depth, thought.proven, idle_us, thought.line
    if idle_us is None:
        return thought.time_us, value, count, depth, thought.proven
    return thought.time_us, value, count, depth, thought.proven, idle_us


def bounded(count: int) -> int:
    """A count that a bot told, within 0..LIMIT."""
    return max(0, min(count, LIMIT))


def decode(blob: bytes) -> tuple[Thought, ...]:
    """The thoughts of a blob.

    Raises:
        ValueError: the bytes were not written by `encode`.

    """
    try:
        thoughts = _decoder.decode(blob)
    except msgspec.DecodeError as error:
        raise ValueError(f"a game's thoughts cannot be read: {error}") from error
    for thought in thoughts:
        if thought.value is not None:
            thought.value /= 1000
        if thought.cpu_us is not None:
            thought.cpu_us = thought.time_us - thought.cpu_us
    return thoughts
