"""Searches stay within their memory limit and reuse freed memory."""

import numpy as np
import pytest

from bots.catalogue import VERSIONS
from bots.protocol import Budget
from bots.uct.graph import memory
from bots.uct.graph.player import GraphPlayer
from bots.uct.nodes import FIRST_FREE, HEAD
from bots.uct.player import SearchPlayer
from bots.uct.settings import MEMORIES
from bots.uct.tree.memory import ROOT, compact, find_child
from bots.uct.tree.player import TreeBasedPlayer, TreePlayer
from engine.board import parse_board
from engine.position import Position
from tests.bots.support import newest_first, player, self_play

UCT = [name for name, version in VERSIONS.items() if version.family == "uct"]
GRAPHS = [name for name in UCT if "memory" in VERSIONS[name].options]
REUSING = [
    name
    for name in UCT
    if VERSIONS[name].options.get("reuse")
    or VERSIONS[name].options.get("memory") in ("counted", "swept")
]
BOARD = parse_board("11x11@5,5")


def test_the_lists_have_every_way_to_manage_memory() -> None:
    """A filter that finds nothing would leave a way untested."""
    ways = {VERSIONS[name].options["memory"] for name in GRAPHS}
    assert ways == set(MEMORIES)
    assert set(REUSING) >= {"v7", "v13", "v15", "v16", "v18", "v20"}


@pytest.mark.slow
@pytest.mark.parametrize("name", newest_first(UCT))
def test_a_full_tree_does_not_end_the_search(name: str) -> None:
    """With one MiB the search reaches its last simulation without growing further."""
    bot = player(f"{name}?memory_mib=1", BOARD, 0, Budget(simulations=30_000))
    info = bot.choose(()).info
    assert info is not None
    assert info.simulations == 30_000
    roomy = player(name, BOARD, 0, Budget(simulations=30_000)).choose(()).info
    assert roomy is not None
    assert info.tree is not None
    assert roomy.tree is not None
    assert info.tree < roomy.tree
    assert BOARD.columns > bot.choose((3,)).column >= 0


@pytest.mark.slow
@pytest.mark.parametrize("name", newest_first(REUSING))
def test_a_game_in_reused_memory_is_that_in_unlimited_memory(name: str) -> None:
    """A whole game in memory for two moves has the same nodes."""
    board, budget = parse_board("7x7@3,3"), Budget(simulations=4000)
    games = [self_play(f"{name}?memory_mib={mib}", board, budget) for mib in (2, 640)]
    assert games[0] == games[1]
    assert len(games[0]) > 20


def check_graph(bot: GraphPlayer) -> None:
    """Assert that nodes, edges, references and the table agree."""
    rows = bot._rows.reshape(-1, memory.ROW)[: int(bot._counters[memory.USED_NODES])]
    live = np.flatnonzero(rows[:, memory.REFERENCES] >= 0)
    assert len(live) == bot._counters[memory.LIVE]
    words = bot._graph.wide.reshape(-1, memory.ROW // 2)[live, : memory.WORDS]
    assert len(np.unique(words, axis=0)) == len(live), "a position has two nodes"
    table = np.asarray(bot._graph.table)
    is_current = table >> memory.ID_BITS & 127 == bot._counters[memory.GENERATION]
    current = table[is_current] & (1 << memory.ID_BITS) - 1
    assert sorted(current) == live.tolist()
    ways_in = np.zeros(len(rows), np.int64)
    ways_in[bot._node] = 1
    for first in rows[live, memory.EDGES]:
        if first:
            head = int(bot._edges[first - HEAD])
            children = first + 2 * (head & 255)
            np.add.at(ways_in, bot._edges[children : children + (head >> 8)], 1)
    if bot._settings.memory in ("counted", "bump"):
        assert (rows[live, memory.REFERENCES] == ways_in[live]).all()
        assert not ways_in[rows[:, memory.REFERENCES] < 0].any(), "an edge leads to a free node"


@pytest.mark.slow
@pytest.mark.parametrize("name", newest_first(GRAPHS))
@pytest.mark.parametrize("mib", [1, 8])
def test_a_graph_stays_consistent_in_any_memory(name: str, mib: int) -> None:
    """After every move the rows in use, their references and the table's entries agree."""
    for text in ("5x5@2,2", "6x7", "7x7@3,3"):
        board, position = parse_board(text), Position(parse_board(text))
        bot = player(f"{name}?memory_mib={mib}", board, 0, Budget(simulations=2500))
        assert isinstance(bot, GraphPlayer)
        while not position.is_over:
            column = bot.choose(position.moves).column
            check_graph(bot)
            position = position.play(column)


def walk(bot: TreeBasedPlayer, at: int, k: int) -> dict[tuple[int, ...], tuple[int, int]]:
    """Return visits and score of all nodes below a place, by the columns that lead to them."""
    tree = bot._tree
    found: dict[tuple[int, ...], tuple[int, int]] = {(): (int(tree[at]), int(tree[at + k]))}
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
    used, nodes = compact(bot._tree, int(bot._counters[0]), at, k)
    assert walk(bot, ROOT, 1) == before
    assert nodes == len(before)
    inner = sum(1 for path in before if any((*path, c) in before for c in range(11)))
    assert FIRST_FREE < used <= FIRST_FREE + inner * (HEAD + 4 * 11)
    assert used < int(bot._counters[0])


@pytest.mark.parametrize("name", UCT)
def test_a_search_asks_for_no_more_memory_than_its_cap(name: str) -> None:
    """However long a move may take, the arrays of a search stay inside the cap."""
    budget = Budget(time_ms=100_000)
    bot = player(f"{name}?memory_mib=8", BOARD, 0, budget)
    assert isinstance(bot, SearchPlayer)
    bot._set_position(())
    # Views share the memory of what they are made from.
    values = [*vars(bot).values(), *getattr(bot, "_nodes", ()), *getattr(bot, "_graph", ())]
    arrays = [value for value in values if isinstance(value, np.ndarray)]
    bases = {id(array if array.base is None else array.base): array for array in arrays}
    total = sum(array.nbytes for array in bases.values())
    assert 4 * 2**20 < total <= 8 * 2**20 + 4096
