"""Perft against the published counts and the slow game."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import Board, parse_board
from engine.perft import perft
from tests.engine.oracle import SlowGame, boards

STANDARD = (1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572)
FIVE = (1, 5, 25, 125, 625, 3124, 15596, 77644, 377608)


@pytest.mark.parametrize(("text", "counts"), [("standard", STANDARD), ("5x5@2,2", FIVE)])
def test_counts_are_the_published_ones(text: str, counts: tuple[int, ...]) -> None:
    """Every depth up to the deepest known one gives the known counts and their beginnings."""
    board = parse_board(text)
    for depth in range(len(counts)):
        found = perft(board, depth)
        assert found.board == board
        assert found.counts == counts[: depth + 1]
        assert len(found.wins) == depth + 1
        assert not any(found.wins[:7])  # a fourth stone of one side is move 7 at the earliest


@pytest.mark.slow
def test_a_won_game_is_not_continued() -> None:
    """On a 4x4 board every sequence of full length is counted once and none goes beyond."""
    found = perft(Board(4, 4), 20)
    assert len(found.counts) == len(found.wins) == 21
    assert found.counts[17:] == (0, 0, 0, 0)
    assert found.counts[5] == 4 * 4 * 4 * 4 * 4 - 4  # one column of five stones each
    assert found.counts[8] == 57504
    assert 0 < found.wins[16] < found.counts[16]


def test_a_negative_depth_is_refused() -> None:
    """There is nothing to count below depth 0."""
    with pytest.raises(ValueError, match="the depth must be 0 or more, got -1"):
        perft(Board(6, 7), -1)


def _slow(game: SlowGame, depth: int, counts: list[int], wins: list[int]) -> None:
    ply = len(game.moves)
    counts[ply] += 1
    wins[ply] += game.winner is not None
    if ply < depth:
        for column in game.legal():
            after = game.copy()
            after.play(column)
            _slow(after, depth, counts, wins)


@settings(deadline=None, max_examples=8)
@given(boards(), st.integers(0, 3))
def test_any_board_is_counted_as_the_slow_game_does(board: Board, depth: int) -> None:
    """Small depths on every board, forbidden cell included, agree with counting one by one."""
    counts, wins = [0] * (depth + 1), [0] * (depth + 1)
    _slow(SlowGame(board), depth, counts, wins)
    found = perft(board, depth)
    assert (list(found.counts), list(found.wins)) == (counts, wins)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["4x4@0,1", "4x4@3,0", "4x5@1,2"])
def test_wins_are_counted_as_the_slow_game_does(text: str) -> None:
    """Deep enough for fours, the wins of a ply are those found by playing every move."""
    counts, wins = [0] * 8, [0] * 8
    _slow(SlowGame(parse_board(text)), 7, counts, wins)
    found = perft(parse_board(text), 7)
    assert (list(found.counts), list(found.wins)) == (counts, wins)
    assert found.wins[7] > 0
