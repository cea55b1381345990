"""Openings: right length, no win in them, none at their end, always the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import Board
from engine.errors import OpeningError
from engine.opening import draw_opening
from engine.position import format_moves
from engine.seeds import SplitMix
from tests.engine.oracle import SlowGame, boards


@pytest.mark.slow
@settings(deadline=None)
@given(boards(), st.integers(0, 6), st.integers(0, 2**53))
def test_no_side_has_won_or_wins_next_in_an_opening(board: Board, plies: int, seed: int) -> None:
    """It has the asked length, neither side has won in it, and neither wins with the next stone."""
    moves = draw_opening(board, plies, SplitMix(seed))
    assert len(moves) == plies
    game = SlowGame(board)
    for column in moves:
        assert column in game.legal()
        game.play(column)
    assert game.winner is None
    assert not any(game.four_through(cell, game.to_move) for cell in game.landing_cells())
    assert moves == draw_opening(board, plies, SplitMix(seed))


def test_the_openings_of_a_seed_never_change() -> None:
    """Games are replayed from their seeds."""
    assert format_moves(draw_opening(Board(6, 7), 4, SplitMix(1))) == "3563"
    assert format_moves(draw_opening(Board(10, 11, (0, 4)), 8, SplitMix(1))) == "68a44895"


def test_an_opening_that_fills_the_board_is_refused() -> None:
    """As many plies as cells leave nothing to play, the forbidden cell counted off."""
    sentence = "an opening of 15 plies leaves nothing to play on 4x4@0,0, which holds 15 stones"
    with pytest.raises(OpeningError, match=sentence):
        draw_opening(Board(4, 4, (0, 0)), 15, SplitMix(1))


@pytest.mark.slow
def test_an_opening_that_does_not_exist_is_refused() -> None:
    """When no line of the asked length was found the sentence says what to change."""
    sentence = "no opening of 22 plies without a win was found on 4x6@0,0: ask for fewer plies"
    with pytest.raises(OpeningError) as caught:
        draw_opening(Board(4, 6, (0, 0)), 22, _Stubborn(1))
    assert str(caught.value) == sentence


class _Stubborn(SplitMix):
    """Always draws the first item, so that two sides fill column after column."""

    __slots__ = ()

    def below(self, limit: int) -> int:
        return 0
