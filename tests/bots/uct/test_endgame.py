"""The exact solver of endgames against the slow one."""

import numpy as np
import pytest

from bots.uct.endgame import UNKNOWN, WIN, EndgameMemory, endgame_memory, solve_endgame
from engine.arrays import board_words, stone_words
from engine.board import parse_board
from engine.position import Position
from tests.bots.support import small_positions, true_value


def solve(position: Position, memory: EndgameMemory, limit: int = 10**6) -> tuple[int, int, int]:
    columns = position.board.columns
    order = np.array(sorted(range(columns), key=lambda c: abs(2 * c - columns + 1)), np.int64)
    return solve_endgame(
        stone_words(position),
        board_words(position.board),
        order,
        memory,
        limit,
    )


@pytest.mark.slow
def test_scores_and_distances_are_exact() -> None:
    """The score is the true result at the true distance, and the column keeps it."""
    memories = {position.board: endgame_memory() for position in small_positions(8, 12)}
    for position in small_positions(8, 12):
        memory = memories[position.board]  # which keeps the results of the last position
        value, plies = true_value(position)
        score, column, _ = solve(position, memory)
        assert score == value * (WIN - plies), position.notation()
        if column >= 0:
            after = position.play(column)
            assert after.winner is None
            reply = (0, 0) if after.is_over else true_value(after)
            assert reply == ((-value, plies - 1) if value else (0, reply[1]))


def test_a_search_that_reaches_its_limit_has_no_result() -> None:
    """It returns UNKNOWN."""
    score, _, nodes = solve(Position(parse_board("6x7")), endgame_memory(), 1000)
    assert score == UNKNOWN
    assert nodes == 1001
