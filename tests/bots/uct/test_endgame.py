"""The exact solver of endgames against the slow one."""

import numpy as np
import pytest

from bots.protocol import Budget
from bots.uct.endgame import UNKNOWN, WIN, EndgameMemory, endgame_memory, solve_endgame
from engine.board import parse_board
from engine.lanes import board_words, stone_words
from engine.position import Position
from tests.bots.oracle import true_value
from tests.bots.support import player
from tests.bots.uct.test_proofs import positions


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
    for position in positions():
        memory = endgame_memory()
        value, plies = true_value(position)
        score, column, _ = solve(position, memory)
        assert score == value * (WIN - plies), position.notation()
        if column >= 0:
            after = position.play(column)
            assert after.winner is None
            reply = (0, 0) if after.is_over else true_value(after)
            assert reply == ((-value, plies - 1) if value else (0, reply[1]))


def test_the_table_may_be_kept() -> None:
    """Results of one position are valid for the next position of the board."""
    memories = {position.board: endgame_memory() for position in positions()}
    for position in positions():
        value, plies = true_value(position)
        score, _, _ = solve(position, memories[position.board])
        assert score == value * (WIN - plies), position.notation()


def test_a_search_that_reaches_its_limit_has_no_result() -> None:
    """It returns UNKNOWN."""
    score, _, nodes = solve(Position(parse_board("6x7")), endgame_memory(), 1000)
    assert score == UNKNOWN
    assert nodes == 1001


def test_the_small_board_is_a_draw_without_a_simulation() -> None:
    """The empty 4x4 board takes no simulation at all."""
    choice = player("v18", parse_board("4x4"), 0, Budget(simulations=10_000)).choose(())
    assert choice.info is not None
    assert choice.info.proven == "draw"
    assert choice.info.simulations == 0
