"""Rollouts against a slow game that draws the same random numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bits import random_state
from engine.board import parse_board
from engine.lanes import board_words, stone_words
from engine.position import Position, parse_position
from engine.rollout import DRAW, LOSS, WIN, roll_out_many, roll_out_many_plain
from tests.engine.oracle import SlowGame, games
from tests.engine.test_bits import slow_below, slow_step


def slow_roll_out(game: SlowGame, avoid_above: bool, state: int) -> tuple[int, int, int]:
    """The rules of the rollout, word for word: (twice the result, stones dropped, state)."""
    starter = game.to_move
    dropped = 0
    while game.landing_cells():
        side = game.to_move
        won, lost = (WIN, LOSS) if side == starter else (LOSS, WIN)
        landing = game.landing_cells()
        if any(game.four_through(cell, side) for cell in landing):
            return won, dropped, state
        blocks = [cell for cell in landing if game.four_through(cell, 1 - side)]
        if len(blocks) > 1:
            return lost, dropped, state
        if blocks:
            column = blocks[0][1]
        else:
            state = slow_step(state)
            column = landing[slow_below(state, len(landing))][1]
        game.play(column)
        dropped += 1
        if not blocks and avoid_above:
            above = game.landing_row(column)
            if above is not None and game.four_through((above, column), 1 - side):
                return lost, dropped, state
    return DRAW, dropped, state


@settings(deadline=None, max_examples=150)
@given(games(), st.booleans(), st.integers(0, 2**64 - 1))
def test_a_rollout_plays_the_slow_game(game: SlowGame, avoid_above: bool, seed: int) -> None:
    """Result, length and random state are those of the slow game, on words and on registers."""
    if game.winner is not None:  # a rollout starts where the game goes on
        last_but_one = SlowGame(game.board)
        for column in game.moves[:-1]:
            last_but_one.play(column)
        game = last_but_one
    position = Position.from_moves(game.board, game.moves)
    stones, board = stone_words(position), board_words(game.board)
    state = random_state(seed)
    expected = slow_roll_out(game.copy(), avoid_above, int(state))
    for function in (roll_out_many, roll_out_many_plain):
        result, dropped, after = function(stones, board, 1, avoid_above, state)
        assert (result, dropped, int(after)) == expected


@pytest.mark.parametrize("text", ["6x7", "11x11@5,5", "9x12@0,3", "12x9@11,8", "4x4@1,1", "12x12"])
def test_many_rollouts_are_one_after_the_other(text: str) -> None:
    """Both layouts sum the same rollouts, and the rule about the cell above changes no result."""
    board = parse_board(text)
    stones, words = stone_words(Position(board)), board_words(board)
    state = random_state(7)
    sums = roll_out_many(stones, words, 5000, False, state)
    assert sums == roll_out_many_plain(stones, words, 5000, False, state)
    with_rule = roll_out_many(stones, words, 5000, True, state)
    assert with_rule == roll_out_many_plain(stones, words, 5000, True, state)
    assert (with_rule[0], with_rule[2]) == (sums[0], sums[2])
    assert 0.3 < sums[0] / 10_000 < 0.8


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("6x7 001122", WIN),  # the side to move completes the bottom row
        ("6x7 22334", LOSS),  # both ends of three in a row are open to the opponent
        ("4x4 0123012310321032", DRAW),
    ],
)
def test_a_decided_position_costs_no_draw(text: str, result: int) -> None:
    """A win at once, two wins of the opponent and a full board end the rollout at its start."""
    position = parse_position(text)
    state = np.uint64(99)
    outcome = roll_out_many(stone_words(position), board_words(position.board), 1, False, state)
    assert (outcome[0], outcome[1], int(outcome[2])) == (result, 0, 99)


def test_a_single_threat_is_blocked_without_a_draw() -> None:
    """With one win of the opponent on the board the stone goes there and the state stays."""
    position = parse_position("6x7 06060")
    slow = SlowGame(position.board)
    for column in position.moves:
        slow.play(column)
    state = random_state(3)
    expected = slow_roll_out(slow, False, int(state))
    outcome = roll_out_many(stone_words(position), board_words(position.board), 1, False, state)
    assert (outcome[0], outcome[1], int(outcome[2])) == expected
    assert slow.moves[5] == 0
