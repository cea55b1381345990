"""Seeds of pairs, boards and openings, derived from the seed of a run.

Bots see the seed, the board and the opening of each pair, and must not learn from these what later
pairs will bring. So the derivation is a keyed one-way function whose key is the run's seed. The key
is stretched: a seed that is drawn (53 bits) cannot be found by trying, and trying the small seeds
that people write costs about 12 ms of processor time for each.
"""

import struct
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b, pbkdf2_hmac

from engine.seeds import SEED_LIMIT, mix

STRETCHING = 50_000
"""Iterations that make a key from a seed, once for each run. A constant of `KEYED` for ever."""
SALT = b"connect4-ladder pair seeds"


class SeedDerivation(StrEnum):
    """How the numbers of a run follow from its seed; part of the identity of a run."""

    MIXED = "splitmix"
    """Of runs stored before there was a choice, for resuming them. Two seeds of pairs reveal it."""
    KEYED = "blake2b"


CURRENT = SeedDerivation.KEYED
"""Of every new run."""


def derive(seed: int, *values: int, by: SeedDerivation = CURRENT) -> int:
    """Return a 64-bit number that follows from a run's seed and some integers, in their order.

    Args:
        seed: of the run, below 2**53.
        values: such as a pair's number and a purpose, each within 64 bits.
        by: the derivation of the run.

    """
    if by is SeedDerivation.MIXED:
        return mix(seed, *values)
    packed = struct.pack(f">{len(values)}q", *values)
    return int.from_bytes(blake2b(packed, key=_key(seed), digest_size=8).digest(), "big")


def derive_pair_seed(seed: int, *values: int, by: SeedDerivation = CURRENT) -> int:
    """Return a number as `derive` does, below 2**53 as the protocol asks."""
    return derive(seed, *values, by=by) % SEED_LIMIT


@lru_cache(maxsize=64)
def _key(seed: int) -> bytes:
    return pbkdf2_hmac("sha256", seed.to_bytes(8, "big"), SALT, STRETCHING)
