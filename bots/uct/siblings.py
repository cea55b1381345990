"""Blocks of siblings: the children of a node, or its edges, in one array of 32-bit integers.

The same fields of siblings lie beside each other, so that a vector register takes in all of them
at once::

    head owner | field 0 x k | field 1 x k | field 2 x k | field 3 x k        k siblings

    head    k in bits 0..7, siblings made so far from bit 8 on

A sibling is named by the place `at` of its field 0 and the stride `k` of its block: its other
fields lie at ``at + k``, ``at + 2 * k`` and ``at + 3 * k``.
"""

HEAD = 2
"""Integers before the first sibling."""
FIELDS = 4
FIRST_FREE = HEAD + FIELDS
"""The place of the first block: below lies the root of a tree, and 0 means no block."""
SLACK = 64
"""Integers kept free at the end, since a register always reads sixteen."""
