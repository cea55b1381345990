"""A journal of used table entries, with which a nearly empty table is cleared quickly.

It is an array of integers: the number of used entries, then their places, until it is full.
"""

import numpy as np
from numpy.typing import NDArray

from engine.compiled import inlined

Integers = NDArray[np.int64]

LENGTH = 1 << 18
"""Capacity; with more entries in use the whole table is cleared."""


@inlined
def note(journal: Integers, place: np.int64) -> None:
    """Record that an empty entry is now in use."""
    number = journal[0] + 1
    if number < len(journal):
        journal[number] = place
    journal[0] = number
