"""Search structures stay inside their cap, and what a game leaves behind is used again."""

import numpy as np
import pytest

from bots.catalogue import VERSIONS
from bots.protocol import Budget
from bots.uct.siblings import FIRST_FREE, HEAD
from bots.uct.tree.layout import ROOT
from bots.uct.tree.player import TreePlayer
from bots.uct.tree.reuse import (
    find_child,
    keep_below,
)
from engine.board import parse_board
from engine.position import Position
from tests.bots.support import player, self_play

UCT = [name for name, version in VERSIONS.items() if version.family == "uct"]
REUSING = [
    name
    for name in UCT
    if VERSIONS[name].options.get("reuse") and VERSIONS[name].options.get("memory") != "bump"
]
BOARD = parse_board("11x11@5,5")


@pytest.mark.parametrize("name", UCT)
def test_a_full_tree_does_not_end_the_search(name: str) -> None:
    """With one MiB the search goes on to its last simulation without growing further."""
    bot = player(f"{name}?memory_mib=1", BOARD, 0, Budget(simulations=60_000))
    info = bot.choose(()).info
    assert info is not None
    assert info.simulations == 60_000
    assert info.tree is not None
    assert info.tree < 60_000
    assert BOARD.columns > bot.choose((3,)).column >= 0


@pytest.mark.parametrize("name", REUSING)
def test_kept_nodes_help(name: str) -> None:
    """The second search starts with more than an empty tree."""
    bot = player(name, BOARD, 0, Budget(simulations=5000))
    first = bot.choose(())
    assert first.info is not None
    assert first.info.pv is not None
    info = bot.choose(first.info.pv[:2]).info
    assert info is not None
    assert info.tree is not None
    assert info.tree > 5001


@pytest.mark.parametrize("name", REUSING)
def test_memory_is_used_again(name: str) -> None:
    """A whole game fits where one move's tree would nearly fill the memory."""
    budget = Budget(simulations=8000)
    for choice in self_play(f"{name}?memory_mib=3", parse_board("7x7@3,3"), budget):
        assert choice.info is not None
        assert choice.info.tree is not None


def walk(bot: TreePlayer, at: int, k: int) -> dict[tuple[int, ...], tuple[int, int]]:
    """Visits and score of every node below a place, by the columns that lead to it."""
    tree = bot._tree
    found = {(): (int(tree[at]), int(tree[at + k]))}
    first = int(tree[at + 2 * k])
    if first:
        siblings = int(tree[first - HEAD]) & 255
        for child in range(first, first + (int(tree[first - HEAD]) >> 8)):
            column = int(tree[child + 3 * siblings]) >> 12 & 15
            for path, values in walk(bot, child, siblings).items():
                found[column, *path] = values
    return found


def test_compacting_keeps_exactly_what_is_below() -> None:
    """The kept tree is the same, node for node, and lies without gaps at the bottom."""
    bot = player("v10", BOARD, 0, Budget(simulations=20_000))
    assert isinstance(bot, TreePlayer)
    bot.choose(())
    at, k = ROOT, 1
    for column in (3, 4):
        at, k = find_child(bot._tree, at, k, column)
    before = walk(bot, at, k)
    used, nodes = keep_below(bot._tree, int(bot._counters[0]), at, k)
    assert walk(bot, ROOT, 1) == before
    assert nodes == len(before)
    inner = sum(1 for path in before if any((*path, c) in before for c in range(11)))
    assert FIRST_FREE < used <= FIRST_FREE + inner * (HEAD + 4 * 11)
    assert used < int(bot._counters[0])


def test_the_largest_tree_is_bounded() -> None:
    """However long a move may take, no more than the cap is asked for."""
    bot = player("v13?memory_mib=8", BOARD, 0, Budget(time_ms=100_000))
    assert isinstance(bot, TreePlayer)
    assert bot._tree.nbytes <= 8 * 2**20
    assert bot._tree.dtype == np.int32
    assert Position(BOARD).can_play(5)
