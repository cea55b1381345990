"""Blocks of siblings (children or edges of a node) in an array of 32-bit integers.

Equal fields of siblings are adjacent, so a vector register can load all of them at once::

    head owner | field 0 x k | field 1 x k | field 2 x k | field 3 x k        k siblings

    head    k in bits 0..7, number of siblings made from bit 8 on

A sibling is identified by the place `at` of its field 0 and the stride `k` of its block: its other
fields are at ``at + k``, ``at + 2 * k`` and ``at + 3 * k``.
"""

HEAD = 2
"""Number of integers before the first sibling."""
FIELDS = 4
FIRST_FREE = HEAD + FIELDS
"""Place of the first block; below it is the root of a tree, and 0 means no block."""
SLACK = 64
"""Unused integers at the end, because a register always reads sixteen."""
