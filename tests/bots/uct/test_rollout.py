"""The rollouts of the players against a slow form with the same random numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.array_position import lay_out
from bots.uct.array.search import rollout as array_rollout
from engine.arrays import board_words, stone_words
from engine.position import Position
from tests.engine.oracle import SlowGame, games, slow_below, slow_step
from tests.support.rollouts import roll_out_learned, roll_out_plain, roll_out_vector

LOSS, DRAW, WIN = range(3)
STATES = st.integers(1, 2**64 - 1)


def slow_roll_out(
    game: SlowGame,
    state: int,
    *,
    careful: bool = False,
    keeping: bool = False,
    stops_below: bool = False,
) -> tuple[int, int]:
    """Play a rollout by its rules; return twice the result for the side to move, and the state.

    With `careful`, columns directly below a winning cell of the opponent are not played, and a side
    without other columns has lost. With `keeping`, a side plays below its own winning cells only
    without other columns. With `stops_below`, a move below a winning cell of the opponent ends the
    rollout as a loss.
    """
    starter = game.to_move
    while landing := game.landing_cells():
        side = game.to_move
        won, lost = (WIN, LOSS) if side == starter else (LOSS, WIN)
        if any(game.four_through(cell, side) for cell in landing):
            return won, state
        blocks = [cell for cell in landing if game.four_through(cell, 1 - side)]
        if len(blocks) > 1:
            return lost, state
        if blocks:
            game.play(blocks[0][1])
            continue
        state = slow_step(state)
        choices = [column for _, column in landing]
        if careful:
            choices = [column for column in choices if not lies_below_a_win(game, column, 1 - side)]
            if not choices:
                return lost, state
        if keeping:
            kept = [column for column in choices if not lies_below_a_win(game, column, side)]
            choices = kept or choices
        column = choices[slow_below(state, len(choices))]
        below = lies_below_a_win(game, column, 1 - side)
        game.play(column)
        if stops_below and below:
            return lost, state
    return DRAW, state


def lies_below_a_win(game: SlowGame, column: int, side: int) -> bool:
    """Return whether a side already has a winning cell above the column's landing cell."""
    after = game.copy()
    after.play(column)
    row = after.landing_row(column)
    return row is not None and game.four_through((row, column), side)


def undecided(game: SlowGame) -> SlowGame:
    """Return the game without its last move if that has won, as rollouts start before it."""
    if game.winner is None:
        return game
    before = SlowGame(game.board)
    for column in game.moves[:-1]:
        before.play(column)
    return before


@pytest.mark.slow
@settings(deadline=None, max_examples=80)
@given(games(), STATES, st.booleans())
def test_the_rollout_of_the_fast_searches_equals_the_slow_form(
    game: SlowGame, state: int, careful: bool
) -> None:
    """Result and generator are those of the slow game, on integers and on registers."""
    game = undecided(game)
    position = Position.from_moves(game.board, game.moves)
    stones, board = stone_words(position), board_words(game.board)
    expected = slow_roll_out(game.copy(), state, careful=careful)
    for function in (roll_out_vector, roll_out_plain):
        result, after = function(stones, board, np.uint64(state), careful)
        assert (result, int(after)) == expected


@pytest.mark.slow
@settings(deadline=None, max_examples=80)
@given(games(), STATES, st.booleans())
def test_the_rollout_of_the_learned_search_equals_the_slow_form(
    game: SlowGame, state: int, keeping: bool
) -> None:
    """v22 plays the careful slow game, v23 the one that also keeps its own threats."""
    game = undecided(game)
    position = Position.from_moves(game.board, game.moves)
    stones, board = stone_words(position), board_words(game.board)
    result, after = roll_out_learned(stones, board, np.uint64(state), keeping)
    expected = slow_roll_out(game.copy(), state, careful=True, keeping=keeping)
    assert (result, int(after)) == expected


@pytest.mark.slow
@settings(deadline=None, max_examples=80)
@given(games(), STATES)
def test_the_rollout_of_the_array_board_equals_the_slow_form(game: SlowGame, state: int) -> None:
    """v1 to v4 play the slow game, and end it when the opponent could win directly above."""
    game = undecided(game)
    cells, tops, sets = lay_out(game.board, tuple(game.moves))
    result, after = array_rollout(cells, tops, sets, game.to_move, np.uint64(state))
    assert (result, int(after)) == slow_roll_out(game, state, stops_below=True)
