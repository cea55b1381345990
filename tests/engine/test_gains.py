"""New threats counted for all columns at once, against the threat maps with and without a stone."""

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from engine import lanes, vector
from engine.compiled import inlined, kernel
from engine.gains import new_threats_on
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT, WordArray
from engine.position import LANE, Position
from tests.engine.oracle import SlowGame, from_words, games

Numbers = NDArray[np.int64]
Count = Callable[[WordArray, WordArray, Numbers], None]


def _count_on(layout: ModuleType) -> Count:
    """Build a function that writes the numbers of all columns, for the mover and the opponent."""
    load, either, without = layout.load, layout.either, layout.without
    playable, number_in = layout.playable, layout.number_in
    new_threats = new_threats_on(layout)

    @inlined
    def count(stones: WordArray, board: WordArray, numbers: Numbers) -> None:
        own, other = load(stones, MOVER), load(stones, OPPONENT)
        cells = load(board, CELLS)
        occupied = either(either(own, other), load(board, FORBIDDEN))
        landing = playable(occupied, load(board, BOTTOMS), cells)
        free = without(cells, either(occupied, landing))
        mine = new_threats(own, landing, without(free, layout.threats(own)))
        theirs = new_threats(other, landing, without(free, layout.threats(other)))
        for column in range(12):
            numbers[0, column] = number_in(mine, column)
            numbers[1, column] = number_in(theirs, column)

    return count


# numba keeps no machine code of a closure: the kernels stand in the module.
_count_on_words, _count_on_registers = _count_on(lanes), _count_on(vector)


@kernel
def _words(stones: WordArray, board: WordArray, numbers: Numbers) -> None:
    _count_on_words(stones, board, numbers)


@kernel
def _registers(stones: WordArray, board: WordArray, numbers: Numbers) -> None:
    _count_on_registers(stones, board, numbers)


def _threats(stones: int) -> int:
    words = [np.uint64(stones >> (64 * word) & (2**64 - 1)) for word in range(3)]
    out = np.zeros((1, 3), np.uint64)
    _map(np.array([words], np.uint64), out)
    return from_words(out[0])


@kernel
def _map(stones: WordArray, out: WordArray) -> None:
    lanes.store(out, 0, lanes.threats(lanes.load(stones, 0)))


@pytest.mark.slow
@pytest.mark.parametrize("count", [pytest.param(_words, marks=pytest.mark.very_slow), _registers])
def test_counts_of_new_threats_are_those_of_the_maps(count: Count) -> None:
    """Each column's number is how many columns hold a threat that the stone has made."""
    met = set()

    @settings(deadline=None, max_examples=30)
    @given(games())
    def agrees(game: SlowGame) -> None:
        position = Position.from_moves(game.board, game.moves)
        board = lanes.board_words(game.board)
        numbers = np.zeros((2, 12), np.int64)
        count(lanes.stone_words(position), board, numbers)
        cells = from_words(board[CELLS])
        landing = {c: 1 << (LANE * c + r) for r, c in game.landing_cells()}
        free = cells & ~position.stones[0] & ~position.stones[1] & ~sum(landing.values())
        for row, side in enumerate((position.to_move, 1 - position.to_move)):
            stones = position.stones[side]
            for column, cell in landing.items():
                made = _threats(stones | cell) & ~_threats(stones) & free
                columns = sum(made >> (LANE * c) & 0xFFF > 0 for c in range(12))
                assert numbers[row, column] == columns
                met.add(columns)

    agrees()
    assert {0, 1, 2} <= met
