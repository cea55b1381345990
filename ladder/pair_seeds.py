"""Seeds of pairs, boards and openings, derived from the seed of a run.

Bots see the seed, the board and the opening of each pair, and must not be able to predict later
pairs from these. So the derivation is a keyed one-way function whose key is the run's seed. The key
is stretched: a random seed (53 bits) cannot be found by trying all, and trying the small seeds that
people choose costs about 12 ms of processor time each.
"""

import struct
from enum import IntEnum
from functools import lru_cache
from hashlib import blake2b, pbkdf2_hmac

from engine.seeds import SEED_LIMIT

STRETCHING = 50_000
"""Iterations that make a key from a seed, once per run. Stored runs depend on this number."""
SALT = b"connect4-ladder pair seeds"

DERIVATION = "blake2b"
"""Name of the derivation, a part of each run's identity."""


class Purpose(IntEnum):
    """The purposes of random numbers in a stream of pairs.

    Each has a stream of its own, so that, for example, the boards of a run do not change when its
    pairing does. Stored runs depend on the numbers.
    """

    PARTNERS = 0
    BOARDS = 1
    OPENING = 2
    GAMES = 3
    ORDER = 4
    """The order of meetings or players in a round."""
    ROUND = 5
    """The order of the openings of a set."""
    COLOURS = 7
    """The first mover of game 0, if the rule of the pairing does not choose it."""


def derive(seed: int, *values: int) -> int:
    """Return a 64-bit number derived from the seed of a run and a sequence of integers.

    Args:
        seed: The seed of the run, below 2**53.
        values: Signed 64-bit integers, such as a pair's number and a purpose.

    """
    packed = struct.pack(f">{len(values)}q", *values)
    return int.from_bytes(blake2b(packed, key=_key(seed), digest_size=8).digest(), "big")


def derive_pair_seed(seed: int, *values: int) -> int:
    """Return a number like `derive`, but below 2**53, as the protocol requires."""
    return derive(seed, *values) % SEED_LIMIT


@lru_cache(maxsize=64)
def _key(seed: int) -> bytes:
    return pbkdf2_hmac("sha256", seed.to_bytes(8, "big"), SALT, STRETCHING)
