"""New threats counted for all columns at once, against the threat maps with and without a stone."""

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from bots.uct.tree.first_play import new_threats
from engine import vector
from engine.arrays import board_words
from engine.compiled import kernel
from engine.lanes import CELLS, WordArray, to_words
from engine.layout import LANE
from engine.position import Position
from tests.engine.oracle import SlowGame, as_bits, from_words, games


@kernel
def _count(sets: WordArray, numbers: NDArray[np.int64], raw: WordArray) -> None:
    stones, landing, free = vector.load(sets, 0), vector.load(sets, 1), vector.load(sets, 2)
    vector.store(raw, 0, vector.threats(stones))
    made = new_threats(stones, landing, vector.without(free, vector.threats(stones)))
    for column in range(12):
        numbers[column] = vector.number_in(made, column)


def _read(stones: int, landing: int, free: int) -> tuple[list[int], int]:
    """Return the numbers of new threats by column, and the unmasked threats of the stones."""
    numbers, raw = np.zeros(12, np.int64), np.zeros((1, 3), np.uint64)
    _count(np.stack([to_words(cells) for cells in (stones, landing, free)]), numbers, raw)
    return numbers.tolist(), from_words(raw[0])


@pytest.mark.slow
def test_counts_of_new_threats_are_those_of_the_maps() -> None:
    """Each column's number is how many columns hold a threat that the stone has made."""
    met = set()

    @settings(deadline=None, max_examples=60, derandomize=True)
    @given(games())
    def agrees(game: SlowGame) -> None:
        position = Position.from_moves(game.board, game.moves)
        landing = {c: 1 << (LANE * c + r) for r, c in game.landing_cells()}
        every = as_bits(game.landing_cells())
        free = from_words(board_words(game.board)[CELLS])
        free &= ~(position.stones[0] | position.stones[1] | every)
        for stones in position.stones:
            numbers, before = _read(stones, every, free)
            for column, cell in landing.items():
                made = _read(stones | cell, 0, 0)[1] & ~before & free
                columns = sum(made >> (LANE * c) & 0xFFF > 0 for c in range(12))
                assert numbers[column] == columns
                met.add(columns)

    agrees()
    assert {0, 1, 2} <= met
