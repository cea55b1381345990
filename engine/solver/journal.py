"""Which entries of a table are in use, so that a table of which little was used is emptied quickly.

An array of integers: the number of entries that have been taken, then their places, until it is
full.
"""

import numpy as np
from numpy.typing import NDArray

from engine.compiled import inlined

Integers = NDArray[np.int64]

LENGTH = 1 << 15
"""Beyond so many entries the whole table is emptied at once."""


@inlined
def note(journal: Integers, place: np.int64) -> None:
    """Write down that an empty entry is taken."""
    number = journal[0] + 1
    if number < len(journal):
        journal[number] = place
    journal[0] = number
