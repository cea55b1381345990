"""The kernels of `engine.lanes` and `engine.vector` against the slow game, bit for bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import lanes, vector
from engine.board import Board
from engine.compiled import kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT, WordArray
from engine.position import Position, geometry
from tests.engine.oracle import SlowGame, as_bits, from_words, games

PLAYABLE, OWN_THREATS, OTHER_THREATS = range(3)
OWN_FOUR, OTHER_FOUR, COLUMNS = range(3)


@kernel
def _plain(stones: WordArray, board: WordArray, sets: WordArray, facts: WordArray) -> None:
    own = lanes.load(stones, MOVER)
    other = lanes.load(stones, OPPONENT)
    occupied = lanes.either(lanes.either(own, other), lanes.load(board, FORBIDDEN))
    landing = lanes.playable(occupied, lanes.load(board, BOTTOMS), lanes.load(board, CELLS))
    own_threats = lanes.threats(own)
    other_threats = lanes.threats(other)
    for word in range(3):
        sets[PLAYABLE, word] = landing[word]
        sets[OWN_THREATS, word] = own_threats[word]
        sets[OTHER_THREATS, word] = other_threats[word]
    facts[OWN_FOUR] = lanes.connects(own)
    facts[OTHER_FOUR] = lanes.connects(other)
    facts[COLUMNS] = lanes.columns_of(landing)


@kernel
def _vector(stones: WordArray, board: WordArray, sets: WordArray, facts: WordArray) -> None:
    own = vector.load(stones, MOVER)
    other = vector.load(stones, OPPONENT)
    occupied = own | other | vector.load(board, FORBIDDEN)
    landing = vector.playable(occupied, vector.load(board, BOTTOMS), vector.load(board, CELLS))
    for row, value in enumerate((landing, vector.threats(own), vector.threats(other))):
        words = vector.unpack(value)
        for word in range(3):
            sets[row, word] = words[word]
    facts[OWN_FOUR] = vector.connects(own)
    facts[OTHER_FOUR] = vector.connects(other)
    facts[COLUMNS] = vector.columns_of(landing)


@kernel
def _in_columns(
    stones: WordArray, columns: np.uint64, plain: WordArray, registers: WordArray
) -> None:
    lanes.store(plain, 0, lanes.in_columns(lanes.load(stones, 0), columns))
    vector.store(registers, 0, vector.in_columns(vector.load(stones, 0), columns))


@kernel
def _combined(stones: WordArray, plain: WordArray, registers: WordArray) -> None:
    left, right = lanes.load(stones, 0), lanes.load(stones, 1)
    lanes.store(plain, 0, lanes.either(left, right))
    lanes.store(plain, 1, lanes.both(left, right))
    lanes.store(plain, 2, lanes.without(left, right))
    a, b = vector.load(stones, 0), vector.load(stones, 1)
    vector.store(registers, 0, vector.either(a, b))
    vector.store(registers, 1, vector.both(a, b))
    vector.store(registers, 2, vector.without(a, b))


@kernel
def _counted(landing: WordArray, k: np.uint64, cells: WordArray, facts: WordArray) -> None:
    words, registers = lanes.load(landing, 0), vector.load(landing, 0)
    facts[0, 0], facts[1, 0] = lanes.any_cell(words), vector.any_cell(registers)
    facts[0, 1], facts[1, 1] = lanes.several(words), vector.several(registers)
    facts[0, 2], facts[1, 2] = lanes.count_columns(words), vector.count_columns(registers)
    if k < facts[0, 2]:
        lanes.store(cells, 0, lanes.kth_cell(words, k))
        vector.store(cells, 1, vector.kth_cell(registers, k))


def _run(function: object, stones: WordArray, board: Board) -> tuple[WordArray, list[int]]:
    sets = np.zeros((3, 3), np.uint64)
    facts = np.zeros(3, np.uint64)
    function(stones, lanes.board_words(board), sets, facts)  # type: ignore[operator]
    return sets, [int(fact) for fact in facts]


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(games())
def test_kernels_read_the_slow_game(game: SlowGame) -> None:
    """Playable cells, masked threats, fours and open columns are those of the slow game."""
    position = Position.from_moves(game.board, game.moves)
    side = position.to_move
    free = as_bits(game.free_cells())
    for function in (_plain, _vector):
        sets, facts = _run(function, lanes.stone_words(position), game.board)
        assert from_words(sets[PLAYABLE]) == as_bits(game.landing_cells())
        assert from_words(sets[OWN_THREATS]) & free == as_bits(game.threats(side))
        assert from_words(sets[OTHER_THREATS]) & free == as_bits(game.threats(1 - side))
        open_columns = sum(1 << column for _, column in game.landing_cells())
        assert facts == [game.winner == side, game.winner == 1 - side, open_columns]


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(games(), st.integers(0, 2**192 - 1), st.integers(0, 2**192 - 1))
def test_vector_equals_plain_on_any_stones(game: SlowGame, first: int, second: int) -> None:
    """Raw maps of the register version are those of the plain one, bits above the board too."""
    inside = geometry(game.board).cells
    stones = np.stack([lanes.to_words(first & inside), lanes.to_words(second & inside & ~first)])
    plain, plain_facts = _run(_plain, stones, game.board)
    registers, register_facts = _run(_vector, stones, game.board)
    rows = 0x0FFF_0FFF_0FFF_0FFF
    assert (plain & np.uint64(rows) == registers & np.uint64(rows)).all()
    assert (plain[PLAYABLE] == registers[PLAYABLE]).all()
    assert plain_facts == register_facts


@pytest.mark.slow
@settings(deadline=None)
@given(st.integers(0, 2**192 - 1), st.integers(0, 2**12 - 1))
def test_in_columns_keeps_whole_lanes_of_the_mask(cells: int, columns: int) -> None:
    """`in_columns` keeps all sixteen bits of the lanes in the mask and no others."""
    stones = np.stack([lanes.to_words(cells)])
    plain, registers = np.zeros((1, 3), np.uint64), np.zeros((1, 3), np.uint64)
    _in_columns(stones, np.uint64(columns), plain, registers)
    kept = sum(0xFFFF << (16 * column) for column in range(12) if columns >> column & 1)
    assert from_words(plain[0]) == cells & kept
    assert (plain == registers).all()


@pytest.mark.slow
@settings(deadline=None)
@given(st.integers(0, 2**192 - 1), st.integers(0, 2**192 - 1))
def test_operations_on_sets_are_those_of_integers(first: int, second: int) -> None:
    """Union, intersection and difference are those of the integers."""
    stones = np.stack([lanes.to_words(first), lanes.to_words(second)])
    plain, registers = np.zeros((3, 3), np.uint64), np.zeros((3, 3), np.uint64)
    _combined(stones, plain, registers)
    expected = [first | second, first & second, first & ~second]
    assert [from_words(row) for row in plain] == expected
    assert (plain == registers).all()


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(st.lists(st.none() | st.integers(0, 11), min_size=12, max_size=12), st.integers(0, 11))
def test_the_kth_cell_counts_columns_upwards(rows: list[int | None], k: int) -> None:
    """With at most one cell a column, cells are counted and picked in ascending column order."""
    found = [(row, column) for column, row in enumerate(rows) if row is not None]
    facts = np.zeros((2, 3), np.uint64)
    cells = np.zeros((2, 3), np.uint64)
    _counted(np.stack([lanes.to_words(as_bits(found))]), np.uint64(k), cells, facts)
    assert facts.tolist() == [[bool(found), len(found) > 1, len(found)]] * 2
    expected = as_bits([found[k]]) if k < len(found) else 0
    assert [from_words(row) for row in cells] == [expected, expected]


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(games())
def test_words_of_a_board_hold_its_position(game: SlowGame) -> None:
    """`stone_words` and `board_words` split the position's integers and put them together."""
    position = Position.from_moves(game.board, game.moves)
    stones = lanes.stone_words(position)
    assert from_words(stones[MOVER]) == position.stones[position.to_move]
    assert from_words(stones[OPPONENT]) == position.stones[1 - position.to_move]
    board = lanes.board_words(game.board)
    blocked = [] if game.board.forbidden is None else [game.board.forbidden]
    assert from_words(board[FORBIDDEN]) == as_bits(blocked)
    assert from_words(board[CELLS]) == as_bits(SlowGame(game.board).free_cells())
    for (row, column), owner in game.stones.items():
        mine = MOVER if owner == position.to_move else OPPONENT
        assert int(stones[mine, column // 4]) >> (16 * (column % 4) + row) & 1
