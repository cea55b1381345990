"""The kernels of `engine.lanes` and `engine.vector` against the slow game, bit for bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import lanes, vector
from engine.arrays import board_words, stone_words
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


def _run(function: object, stones: WordArray, board: Board) -> tuple[WordArray, list[int]]:
    sets = np.zeros((3, 3), np.uint64)
    facts = np.zeros(3, np.uint64)
    function(stones, board_words(board), sets, facts)  # type: ignore[operator]
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
        sets, facts = _run(function, stone_words(position), game.board)
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
