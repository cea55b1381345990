"""The array board against the plain rules."""

import pytest

from bots.array_board import PLAYABLE, lay_out, play
from engine.board import Board, parse_board
from engine.position import Position
from engine.seeds import SplitMix
from tests.bots.support import BOARDS


def wins(position: Position, side: int) -> int:
    """Return the columns in which the side would connect four, by trying them."""
    found = 0
    for column in position.legal_moves():
        probe = position
        if probe.to_move != side:
            # A stone of the other side to move, dropped by hand: compare the lines through it.
            row = probe.landing_row(column)
            assert row is not None
            own = {
                (r, c)
                for r in range(position.board.rows)
                for c in range(position.board.columns)
                if position.owner(r, c) == side
            } | {(row, column)}
            for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                for shift in range(4):
                    line = {(row + (k - shift) * dr, column + (k - shift) * dc) for k in range(4)}
                    if line <= own:
                        found |= 1 << column
        elif probe.play(column).winner == side:
            found |= 1 << column
    return found


@pytest.mark.parametrize("board", [*BOARDS, parse_board("11x11@5,5")], ids=str)
def test_winning_and_playable_columns_stay_right(board: Board) -> None:
    """After every ply of random games the sets of columns are those of the rules."""
    for seed in range(12):
        random = SplitMix(seed)
        cells, tops, state = lay_out(board, ())
        position = Position(board)
        while not position.is_over:
            assert state[PLAYABLE] == sum(1 << column for column in position.legal_moves())
            for side in (0, 1):
                assert state[side] == wins(position, side)
            column = random.choice(position.legal_moves())
            won = play(cells, tops, state, column, position.to_move)
            position = position.play(column)
            assert won == (position.winner is not None)
