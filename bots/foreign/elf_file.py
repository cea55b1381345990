"""The address space that a shared library asks for.

Self-contained: the standard library of Python 3.8, and no package of this project.
"""

from __future__ import annotations

import struct

HEADER = struct.Struct("<32xQ14xHH")
"""Of a 64-bit ELF file: the place of its program headers, the size of one, and their number."""
SEGMENT = struct.Struct("<I36xQ")
"""Of a program header: the segment's type and its size in memory."""
LOAD = 1
"""The type of segments that are loaded."""


def load_bytes(path: str) -> int:
    """Return the size in memory of all segments that are loaded; 0 if it is unknown."""
    with open(path, "rb") as file:
        head = file.read(HEADER.size)
        if len(head) < HEADER.size or head[:6] != b"\x7fELF\x02\x01":
            return 0
        place, size, count = HEADER.unpack(head)
        file.seek(place)
        table = file.read(size * count)
    headers = [table[at : at + SEGMENT.size] for at in range(0, size * count, size)]
    found = [SEGMENT.unpack(each) for each in headers if len(each) == SEGMENT.size]
    return sum(memory for kind, memory in found if kind == LOAD)
