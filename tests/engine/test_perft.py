"""Perft against the published counts and the slow game."""

import pytest

from engine.board import Board, parse_board
from engine.perft import perft
from tests.engine.oracle import SlowGame

STANDARD = (1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572)
FIVE = (1, 5, 25, 125, 625, 3124, 15596, 77644, 377608)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        pytest.param("standard", STANDARD, marks=pytest.mark.very_slow),
        ("standard", STANDARD[:-1]),
        ("5x5@2,2", FIVE),
    ],
)
def test_counts_are_the_published_ones(text: str, counts: tuple[int, ...]) -> None:
    """Every depth up to the deepest known one gives the known counts and their beginnings."""
    board = parse_board(text)
    for depth in range(len(counts)):
        found = perft(board, depth)
        assert found.board == board
        assert found.counts == counts[: depth + 1]
        assert len(found.wins) == depth + 1
        assert not any(found.wins[:7])  # a fourth stone of one side is move 7 at the earliest


def _slow(game: SlowGame, depth: int, counts: list[int], wins: list[int]) -> None:
    ply = len(game.moves)
    counts[ply] += 1
    wins[ply] += game.winner is not None
    if ply < depth:
        for column in game.legal():
            after = game.copy()
            after.play(column)
            _slow(after, depth, counts, wins)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "depth"), [("4x4@0,1", 7), ("4x4@3,0", 7), ("4x5@1,2", 7), ("12x9@11,3", 3)]
)
def test_sequences_and_wins_are_counted_as_the_slow_game_does(text: str, depth: int) -> None:
    """Deep enough for fours, the counts of a ply are those found by playing every move."""
    counts, wins = [0] * (depth + 1), [0] * (depth + 1)
    _slow(SlowGame(parse_board(text)), depth, counts, wins)
    found = perft(parse_board(text), depth)
    assert (list(found.counts), list(found.wins)) == (counts, wins)
    assert found.wins[-1] > 0 or depth < 7


@pytest.mark.slow
def test_a_game_is_not_continued_after_its_end() -> None:
    """On a 4x4 board no sequence is longer than the board has cells."""
    found = perft(Board(4, 4, (1, 1)), 20)
    assert found.counts[16:] == (0, 0, 0, 0, 0)
    assert found.counts[8] == 51960
    assert 0 < found.wins[15] < found.counts[15]
    with pytest.raises(ValueError, match="the depth must be 0 or more, got -1"):
        perft(Board(6, 7), -1)
