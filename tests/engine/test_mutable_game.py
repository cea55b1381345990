"""A game in play against positions, which follow the same rules."""

import pytest
from hypothesis import given, settings

from engine.errors import IllegalMove
from engine.mutable_game import MutableGame
from engine.position import Position
from tests.engine.oracle import SlowGame, games


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(games())
def test_a_game_in_play_agrees_with_its_position_after_each_move(game: SlowGame) -> None:
    """End, winner and ending are the position's."""
    played = MutableGame(game.board)
    position = Position(game.board)
    for column in game.moves:
        played.play(column)
        position = position.play(column)
        assert played.is_over == position.is_over
        assert played.ending == position.ending
        assert played.winner == position.winner
    assert played.position() == position
    assert MutableGame(game.board, game.moves).moves == game.moves


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(games())
def test_a_game_in_play_refuses_the_moves_that_its_position_refuses(game: SlowGame) -> None:
    """A full column, one off the board, and any after the end: refused with the same sentence, and
    the game stays as it was."""
    played = MutableGame(game.board, game.moves)
    position = Position.from_moves(game.board, game.moves)
    for column in range(-1, game.board.columns + 1):
        if position.can_play(column):
            continue
        with pytest.raises(IllegalMove) as refused:
            played.play(column)
        with pytest.raises(IllegalMove) as expected:
            position.play(column)
        assert str(refused.value) == str(expected.value)
        assert played.moves == game.moves
