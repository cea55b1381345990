"""The thoughts of one game as one compact blob.

MessagePack of arrays, in the order of `_Packed`, without the last fields that are null. Values are
kept as thousandths, which take three bytes where a float takes nine and are finer than any player's
estimate. Processor time is kept as its difference to the wall time, which is small for a bot that
thinks. Compression on top would save at most a quarter, and cost as much time as writing the game.
"""

from collections.abc import Sequence
from typing import get_args

import msgspec

from db.records.games import Proven, Thought, parse_claim

LIMIT = 1 << 40
"""The greatest count that is kept: bots may report any number, and sums must fit 64 bits."""
LEAST = 5
"""Fields that every move has."""
RESULTS: tuple[Proven, ...] = get_args(Proven)
"""Proven results by their numbers."""


class _Packed(msgspec.Struct, array_like=True):
    time_us: int
    value: float | None = None
    """In thousandths."""
    simulations: int | None = None
    depth: int | None = None
    proven: int | str | None = None
    """A place in RESULTS; before 0.2 a text such as ``win 5``."""
    idle_us: int | None = None
    line: str = ""
    nodes: int | None = None
    distance: int | None = None


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[_Packed, ...])


def encode(thoughts: Sequence[Thought]) -> bytes:
    """Return the blob of a game's thoughts."""
    return _encoder.encode([_packed(thought) for thought in thoughts])


def _packed(thought: Thought) -> list[int | str | None]:
    value = thought.value
    packed = [
        thought.time_us,
        None if value is None else round(max(-1.0, min(value, 1.0)) * 1000),
        _bounded(thought.simulations),
        _bounded(thought.depth),
        None if thought.proven is None else RESULTS.index(thought.proven),
        None if thought.cpu_us is None else thought.time_us - thought.cpu_us,
        thought.line,
        _bounded(thought.nodes),
        _bounded(thought.distance),
    ]
    while len(packed) > LEAST and packed[-1] in (None, ""):
        packed.pop()
    return packed


def _bounded(count: int | None) -> int | None:
    return None if count is None else bounded(count)


def bounded(count: int) -> int:
    """Return a count that a bot reported, within 0..LIMIT."""
    return max(0, min(count, LIMIT))


def decode(blob: bytes) -> tuple[Thought, ...]:
    """Return the thoughts of a blob.

    Raises:
        ValueError: the bytes were not written by `encode`.

    """
    try:
        return tuple([_unpacked(packed) for packed in _decoder.decode(blob)])
    except (msgspec.DecodeError, IndexError, ValueError) as error:
        raise ValueError(f"a game's thoughts cannot be read: {error}") from error


def _unpacked(packed: _Packed) -> Thought:
    value, idle_us, proven, distance = packed.value, packed.idle_us, packed.proven, packed.distance
    result: Proven | None = None
    if isinstance(proven, str):
        result, distance = parse_claim(proven)
    elif proven is not None:
        result = RESULTS[proven]
    return Thought(
        packed.time_us,
        None if value is None else value / 1000,
        packed.simulations,
        packed.depth,
        result,
        None if idle_us is None else packed.time_us - idle_us,
        packed.line,
        packed.nodes,
        distance,
    )
