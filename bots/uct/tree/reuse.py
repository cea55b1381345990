"""Tree reuse: keep the part below a new root and free the rest.

Blocks are allocated in ascending order, so a block's children are always at higher places. One
ascending pass therefore reaches every block after its owner. An owner in use has stored in it where
the pointer to it is now, and the block moves down to the first free place.
"""

from bots.uct.nodes import FIELDS, FIRST_FREE, HEAD, UNSEEN, column_of
from bots.uct.tree.layout import ROOT, Tree
from engine.compiled import kernel


@kernel
def find_child(tree: Tree, at: int, k: int, column: int) -> tuple[int, int]:
    """Return place and stride of the child of a column, or place 0 if it does not exist."""
    first = tree[at + 2 * k]
    if first == 0:
        return 0, 0
    siblings = tree[first - HEAD] & 255
    for child in range(first, first + (tree[first - HEAD] >> 8)):
        meta = tree[child + 3 * siblings]
        if column_of(meta) == column:
            return (0, 0) if meta & UNSEEN else (child, siblings)
    return 0, 0


@kernel
def move_root(tree: Tree, at: int, k: int) -> None:
    """Make a node the root without freeing other nodes."""
    for field in range(FIELDS):
        tree[ROOT + field] = tree[at + field * k]


@kernel
def compact(tree: Tree, used: int, at: int, k: int) -> tuple[int, int]:
    """Make a node the root and free all nodes that cannot be reached from it.

    Args:
        tree: array of `bots.uct.tree.layout`; updated.
        used: integers in use.
        at: place of the new root.
        k: stride of the new root.

    Returns:
        Integers in use afterwards, and the number of nodes, including the root.

    """
    first = tree[at + 2 * k]
    move_root(tree, at, k)
    if first:
        tree[first - 1] = ROOT + 2
    free = FIRST_FREE
    nodes = 1
    block = FIRST_FREE
    while block < used:
        siblings = tree[block] & 255
        size = HEAD + FIELDS * siblings
        owner = tree[block + 1]
        if owner:
            made = tree[block] >> 8
            for i in range(block + HEAD + 3 * siblings, block + HEAD + 3 * siblings + made):
                nodes += (tree[i] & UNSEEN) == 0
            tree[owner] = free + HEAD
            for i in range(size):
                tree[free + i] = tree[block + i]
            tree[free + 1] = 0
            firsts = free + HEAD + 2 * siblings
            for i in range(firsts, firsts + made):
                if tree[i]:
                    tree[tree[i] - 1] = i
            free += size
        block += size
    return free, nodes
