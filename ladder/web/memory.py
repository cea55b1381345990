"""The memory of a server that goes on for weeks: what a busy moment has taken is given back.

Each request makes some hundred objects that refer to one another, and texts of every size. Python
looks for such circles among all objects only when their number has grown by a quarter, and the C
library keeps freed blocks in a place for each thread, and the larger ones, too, once one of their
size was freed. What is in use stays the same, and the process grows all the same.
"""

import asyncio
import ctypes
import gc

SETTLED_S = 30.0
"""After so long everything that lasts as long as the server is there."""
TRIM_S = 60.0
"""How often free memory is given back to the system."""
LARGE_BYTES = 128 * 1024
"""From here on a block has pages of its own, which go back to the system when it is freed."""
PLACES = 2
"""Of blocks that threads share: one thread at a time runs Python anyway."""

# mallopt(3)
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8


def bound() -> None:
    """Set the C library's bounds; called before the threads start. Only glibc has them."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, PLACES)
        mallopt(_MMAP_THRESHOLD, LARGE_BYTES)
        mallopt(_TRIM_THRESHOLD, LARGE_BYTES)


async def give_back() -> None:
    """Give memory back, again and again, until cancelled."""
    await asyncio.sleep(SETTLED_S)
    settle()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    while trim is not None:
        trim(0)
        await asyncio.sleep(TRIM_S)


def settle() -> None:
    """Look for circles among new objects only from now on: soon, and in a moment.

    What is there now is the program itself: to look through it costs a tenth of a second.
    """
    gc.collect()
    gc.freeze()
    gc.collect()  # Python waits for a quarter more than the last look has found: now of nothing
