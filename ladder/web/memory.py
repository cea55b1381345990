"""Memory of a server that runs for weeks: memory of busy moments is returned to the system.

Each request creates hundreds of objects in reference cycles, and strings of every size. Python
collects old cycles only when the number of objects has grown by a quarter, and the C library keeps
freed blocks in an arena per thread. Without the settings here the process would grow although the
memory in use stays the same.
"""

import asyncio
import ctypes
import gc

SETTLED_S = 30.0
"""Time after which all permanent objects of the server exist."""
TRIM_S = 60.0
"""Interval at which free memory is returned to the system."""
LARGE_BYTES = 128 * 1024
"""Size from which a block has its own pages, which are returned when it is freed."""
ARENAS = 2
"""Number of arenas, shared by all threads."""

# mallopt(3)
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8


def limit_malloc() -> None:
    """Set limits of glibc's allocator; called before any thread starts."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, ARENAS)
        mallopt(_MMAP_THRESHOLD, LARGE_BYTES)
        mallopt(_TRIM_THRESHOLD, LARGE_BYTES)


async def release_periodically() -> None:
    """Return free memory to the system at intervals, until cancelled."""
    await asyncio.sleep(SETTLED_S)
    freeze_permanent_objects()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    while trim is not None:
        trim(0)
        await asyncio.sleep(TRIM_S)


def freeze_permanent_objects() -> None:
    """Exclude all present objects from garbage collection, which makes collections short."""
    gc.collect()
    gc.freeze()
    gc.collect()  # resets the number of objects, of which Python waits for a quarter more
