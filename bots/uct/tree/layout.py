"""The nodes of a tree: one of `bots.uct.siblings`' blocks for the children of each::

    head owner | visits x k | scores x k | firsts x k | metas x k        k children

A node's score is at ``at + k``, the place of its first child at ``at + 2 * k`` (0 while it has
none), its meta (`bots.uct.meta`) at ``at + 3 * k``. Scores are twice the results, for the side
whose move led into the node. `owner` is used while a tree is compacted.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bots.uct.siblings import HEAD

Tree: TypeAlias = NDArray[np.int32]

ROOT = HEAD
"""The root is the only child of the first block."""
PASSED_OVER = -(1 << 30)
"""The score of a solved node that selection must not choose again; its outcome is in its meta."""
