"""The array board against the slow game."""

import pytest

from bots.array_board import PLAYABLE, play
from bots.array_position import lay_out
from engine.board import Board, parse_board
from engine.seeds import SplitMix
from tests.bots.support import BOARDS
from tests.engine.oracle import SlowGame


@pytest.mark.parametrize("board", [*BOARDS, parse_board("11x11@5,5")], ids=str)
def test_winning_and_playable_columns_stay_right(board: Board) -> None:
    """After every ply of random games the sets of columns are those of the rules."""
    for seed in range(12):
        random, game = SplitMix(seed), SlowGame(board)
        cells, tops, state = lay_out(board, ())
        while game.legal():
            landing = game.landing_cells()
            assert state[PLAYABLE] == sum(1 << column for _, column in landing)
            for side in (0, 1):
                wins = [cell for cell in landing if game.four_through(cell, side)]
                assert state[side] == sum(1 << column for _, column in wins)
            column, side = random.choice(game.legal()), game.to_move
            won = play(cells, tops, state, column, side)
            game.play(column)
            assert won == (game.winner is not None)
