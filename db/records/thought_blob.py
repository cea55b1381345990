"""The thoughts of one game, packed into bytes.

They are MessagePack arrays with the fields of `_Packed`, without trailing nulls. Two fields are
stored as small numbers: a value in thousandths (0.512 as 512: three bytes instead of nine), and
processor time as its difference to the wall time. Compression would save at most a quarter more,
and take as long as writing the game.
"""

from collections.abc import Sequence
from typing import get_args

import msgspec

from db.records.games import Proven, Thought, parse_claim

LIMIT = 1 << 40
"""Greatest count to store: bots may report any number, and sums must fit in 64 bits."""
MIN_FIELDS = 5
"""Number of fields that every move has."""
RESULTS: tuple[Proven, ...] = get_args(Proven)
"""Proven results by their codes."""


class _Packed(msgspec.Struct, array_like=True):
    time_us: int
    value: float | None = None
    """Value in thousandths."""
    simulations: int | None = None
    depth: int | None = None
    proven: int | str | None = None
    """Index into RESULTS; before version 0.2 a text such as ``win 5``."""
    idle_us: int | None = None
    line: str = ""
    nodes: int | None = None
    distance: int | None = None


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[_Packed, ...])


def encode(thoughts: Sequence[Thought]) -> bytes:
    """Return a game's thoughts as bytes."""
    return _encoder.encode([_packed(thought) for thought in thoughts])


def _packed(thought: Thought) -> list[int | str | None]:
    value = thought.value
    packed = [
        thought.time_us,
        None if value is None else round(max(-1.0, min(value, 1.0)) * 1000),
        _clamp(thought.simulations),
        _clamp(thought.depth),
        None if thought.proven is None else RESULTS.index(thought.proven),
        None if thought.cpu_us is None else thought.time_us - thought.cpu_us,
        thought.line,
        _clamp(thought.nodes),
        _clamp(thought.distance),
    ]
    while len(packed) > MIN_FIELDS and packed[-1] in (None, ""):
        packed.pop()
    return packed


def _clamp(count: int | None) -> int | None:
    return None if count is None else clamp_count(count)


def clamp_count(count: int) -> int:
    """Return a count that a bot reported, limited to 0..LIMIT."""
    return max(0, min(count, LIMIT))


def decode(blob: bytes) -> tuple[Thought, ...]:
    """Return the thoughts in bytes from `encode`.

    Raises:
        ValueError: the bytes do not come from `encode`.

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
