"""The graph's table, and how its memory is freed."""

from collections.abc import Iterator

import numpy as np
import pytest

from bots.protocol import Budget
from bots.uct.graph import memory
from bots.uct.graph.memory import (
    EDGES,
    META,
    REFERENCES,
    ROW,
    Table,
    hash_of,
    remove_entry,
    stones_of,
)
from bots.uct.graph.player import GraphPlayer
from bots.uct.nodes import HEAD, SIDE
from engine.board import parse_board
from engine.compiled import kernel
from engine.position import Position
from engine.seeds import SplitMix
from tests.bots.support import player

BOARD = parse_board("7x8@1,3")


def graph_player(name: str, simulations: int = 3000) -> GraphPlayer:
    bot = player(name, BOARD, 0, Budget(simulations=simulations))
    assert isinstance(bot, GraphPlayer)
    return bot


def live(bot: GraphPlayer) -> set[int]:
    """Return the nodes that the table holds."""
    generation = bot._counters[memory.GENERATION]
    return {
        int(entry) & ((1 << memory.ID_BITS) - 1)
        for entry in bot._graph.table
        if int(entry) >> memory.ID_BITS & 127 == generation
    }


def edges_of(bot: GraphPlayer, node: int) -> list[tuple[int, int]]:
    """Return the columns and children of a node."""
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
    """Return the nodes below the root, each with a position that leads to it."""
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
        assert wide[row + memory.HASH] == hash_of(position)
        assert (wide[row : row + 3] == stones_of(position)).all()
        assert bot._rows[node * ROW + META] >> SIDE & 1 == position.to_move


def test_counting_keeps_exactly_what_the_root_reaches() -> None:
    """After a move all nodes alive can be reached, and reference counts are those of the edges."""
    bot = graph_player("v15")
    moves: tuple[int, ...] = ()
    while not Position.from_moves(BOARD, moves).is_over:
        choice = bot.choose(moves)
        below = reachable(bot)
        assert set(below) == live(bot)
        assert len(below) == bot._counters[memory.LIVE]
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
    """After a move every node alive holds the position's stones, without gaps, and none is lost."""
    bot = graph_player("v16")
    choice = bot.choose(())
    everything = reachable(bot)
    moves = (choice.column, 3)
    now = Position.from_moves(BOARD, moves)
    bot._set_position(moves)
    expected = {
        node
        for node, position in everything.items()
        if all(now.stones[side] & ~position.stones[side] == 0 for side in (0, 1))
    }
    assert live(bot) == expected | {bot._node}
    assert 10 < len(expected) < len(everything)


@kernel
def remove(
    table: Table, shift: np.uint64, generation: np.uint64, key: np.uint64, node: np.int64
) -> None:
    remove_entry(table, shift, generation, key, node)


@pytest.mark.slow
def test_entries_are_found_after_others_are_taken_out() -> None:
    """Removing entries from a full table never hides another one."""
    generation, bits = 5, 6
    random = SplitMix(4)
    table = np.zeros(1 << bits, np.uint64)
    keys: dict[int, int] = {}

    def probed(key: int) -> Iterator[tuple[int, int | None]]:
        """Yield the slots from the key's home on, with their nodes, up to the first empty one."""
        place = key >> (64 - bits)
        entries = table.tolist()
        while True:
            entry = int(entries[place])
            node = entry & ((1 << memory.ID_BITS) - 1)
            if entry >> memory.ID_BITS & 127 != generation:
                yield place, None
                return
            yield place, node
            place = (place + 1) % len(entries)

    for number in range(1500):
        if len(keys) < 50 and random.below(2):
            # Few different homes: long runs that wrap around the table's end.
            key = random.next64() >> 6 | (56 + random.below(12)) % 64 << 58
            keys[number] = key
            *_, (place, _) = probed(key)
            table[place] = key >> 32 << 32 | generation << memory.ID_BITS | number
        elif keys:
            node = random.choice(sorted(keys))
            shift = np.uint64(64 - bits)
            remove(table, shift, np.uint64(generation), np.uint64(keys[node]), np.int64(node))
            key = keys.pop(node)
            assert node not in {found for _, found in probed(key)}
        assert all(node in {found for _, found in probed(key)} for node, key in keys.items())
