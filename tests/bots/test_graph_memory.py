"""The graph's table and the ways in which its memory comes back."""

import numpy as np
import pytest

from bots.protocol import Budget
from bots.uct.graph import layout as nodes
from bots.uct.graph.hash_table import (
    entry_of,
    hash_of,
    home_of,
    is_current,
    node_of,
    stones_of,
    take_out,
)
from bots.uct.graph.layout import EDGES, META, REFERENCES, ROW
from bots.uct.graph.player import GraphPlayer
from bots.uct.meta import SIDE
from bots.uct.siblings import HEAD
from engine.board import parse_board
from engine.position import Position
from engine.seeds import SplitMix
from tests.bots.support import player

BOARD = parse_board("7x8@1,3")


def graph_player(name: str, simulations: int = 3000) -> GraphPlayer:
    bot = player(name, BOARD, 0, Budget(simulations=simulations))
    assert isinstance(bot, GraphPlayer)
    return bot


def live(bot: GraphPlayer) -> set[int]:
    """The nodes that the table holds."""
    generation = bot._counters[nodes.GENERATION]
    return {
        int(entry) & ((1 << nodes.ID_BITS) - 1)
        for entry in bot._table
        if int(entry) >> nodes.ID_BITS & 127 == generation
    }


def edges_of(bot: GraphPlayer, node: int) -> list[tuple[int, int]]:
    """Columns and children of a node."""
    first = int(bot._rows[node * ROW + EDGES])
    if not first:
        return []
    head = int(bot._edges[first - HEAD])
    k = head & 255
    return [
        (int(bot._edges[edge + 3 * k]), int(bot._edges[edge + 2 * k]))
        for edge in range(first, first + (head >> 8))
    ]


def reachable(bot: GraphPlayer) -> dict[int, Position]:
    """The nodes below the root, each with a position that leads to it."""
    found = {bot._node: bot._position}
    waiting = [bot._node]
    while waiting:
        node = waiting.pop()
        for column, child in edges_of(bot, node):
            if child not in found:
                found[child] = found[node].play(column)
                waiting.append(child)
    return found


@pytest.mark.parametrize("name", ["v14", "v15", "v16", "v17"])
def test_every_node_is_its_position(name: str) -> None:
    """Stones, hash and side of a node are those of the position its edges lead to."""
    bot = graph_player(name)
    bot.choose(())
    bot.choose((3, 4))
    below = reachable(bot)
    assert set(below) <= live(bot)
    wide = bot._rows.view(np.uint64)
    for node, position in below.items():
        row = node * ROW // 2
        assert wide[row + nodes.HASH] == hash_of(position)
        assert (wide[row : row + 3] == stones_of(position)).all()
        assert bot._rows[node * ROW + META] >> SIDE & 1 == position.to_move


def test_positions_are_shared() -> None:
    """Two orders of the same moves lead to one node."""
    bot = graph_player("v17")
    bot.choose(())
    below = reachable(bot)
    assert sum(len(edges_of(bot, node)) for node in below) > len(below) - 1
    assert len({position.stones for position in below.values()}) == len(below)


def test_counting_keeps_exactly_what_the_root_reaches() -> None:
    """After a move all nodes alive can be reached, and reference counts are those of the edges."""
    bot = graph_player("v15")
    moves: tuple[int, ...] = ()
    while not Position.from_moves(BOARD, moves).is_over:
        choice = bot.choose(moves)
        below = reachable(bot)
        assert set(below) == live(bot)
        assert len(below) == bot._counters[nodes.LIVE]
        counts = dict.fromkeys(below, 0)
        counts[bot._node] = 1
        for node in below:
            for _, child in edges_of(bot, node):
                counts[child] += 1
        assert counts == {node: int(bot._rows[node * ROW + REFERENCES]) for node in below}
        moves = (*moves, choice.column)
        if legal := Position.from_moves(BOARD, moves).legal_moves():
            moves = (*moves, legal[len(moves) % len(legal)])


def test_sweeping_keeps_exactly_what_contains_the_position() -> None:
    """After a move every node alive holds the position's stones, side by side, and none is lost."""
    bot = graph_player("v16")
    choice = bot.choose(())
    everything = reachable(bot)
    moves = (choice.column, 3)
    now = Position.from_moves(BOARD, moves)
    bot._look_at(moves)
    expected = {
        node
        for node, position in everything.items()
        if all(now.stones[side] & ~position.stones[side] == 0 for side in (0, 1))
    }
    assert live(bot) == expected | {bot._node}
    assert 10 < len(expected) < len(everything)


@pytest.mark.parametrize("name", ["v15", "v16"])
def test_freed_nodes_are_used_again(name: str) -> None:
    """Later searches grow into the memory that earlier ones gave back."""
    bot = graph_player(name, 6000)
    first = bot.choose(()).column
    ever = int(bot._counters[nodes.USED_NODES])
    bot.choose((first, 0 if first else 1))
    # The second search adds as many nodes as the first; most of the first's are free by then.
    assert int(bot._counters[nodes.USED_NODES]) < ever + 3000


def test_entries_are_found_after_others_are_taken_out() -> None:
    """Taking entries out of a crowded table never hides another one."""
    from engine.compiled import kernel

    @kernel
    def remove(table, shift, generation, key, node):  # type: ignore[no-untyped-def]
        take_out(table, shift, generation, key, node)

    random = SplitMix(4)
    table = np.zeros(64, np.uint64)
    shift, generation = np.uint64(58), np.uint64(5)
    keys: dict[int, int] = {}

    def place_of(node: int) -> int | None:
        place = int(home_of.py_func(np.uint64(keys[node]), shift))
        while is_current.py_func(table[place], generation):
            if int(node_of.py_func(table[place])) == node:
                return place
            place = (place + 1) % 64
        return None

    for number in range(1500):
        if len(keys) < 50 and random.below(2):
            # Few different homes: long runs that wrap around the table's end.
            key = random.next64() >> 6 | (56 + random.below(12)) % 64 << 58
            keys[number] = key
            place = int(home_of.py_func(np.uint64(key), shift))
            while is_current.py_func(table[place], generation):
                place = (place + 1) % 64
            table[place] = entry_of.py_func(np.uint64(key), generation, np.int64(number))
        elif keys:
            node = random.choice(sorted(keys))
            remove(table, shift, generation, np.uint64(keys[node]), np.int64(node))
            assert place_of(node) is None
            del keys[node]
        assert all(place_of(node) is not None for node in keys)


def test_generations_wrap_around() -> None:
    """A table that has been emptied many times is still empty after being emptied."""
    bot = graph_player("v17", 50)
    for number in range(300):
        choice = bot.choose(() if number % 2 else (3,))
        assert choice.info is not None
        assert choice.info.simulations == 50
        assert choice.info.tree is not None
        assert choice.info.tree <= 51
