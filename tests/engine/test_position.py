"""Positions against the slow game, and their notation and picture."""

import pytest
from hypothesis import given, settings

from engine.board import Board
from engine.errors import BoardError, IllegalMove, NotationError
from engine.position import Position, format_moves, parse_moves, parse_position
from engine.result import FORFEITS, Result, Termination
from tests.engine.oracle import SlowGame, as_bits, games


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(games())
def test_a_position_agrees_with_the_slow_game(game: SlowGame) -> None:
    """Moves, stones, winner, line of four, landing rows and endings are those of the slow game."""
    position = Position.from_moves(game.board, game.moves)
    assert position.moves == tuple(game.moves)
    assert position.ply == len(game.moves)
    assert position.to_move == game.to_move
    assert position.winner == game.winner
    assert position.legal_moves() == tuple(game.legal())
    assert position.winning_cells() == game.winning_cells()
    assert bool(game.landing_cells()) == bool(game.free_cells())
    assert position.is_over == (not game.legal())
    result = {None: Result.DRAW, 0: Result.WIN, 1: Result.LOSS}[game.winner]
    by = Termination.BOARD_FULL if game.winner is None else Termination.FOUR_IN_A_ROW
    assert position.ending == (None if game.legal() else (result, by))
    for column in range(game.board.columns):
        assert position.can_play(column) == (column in game.legal())
        assert position.landing_row(column) == game.landing_row(column)
        for row in range(game.board.rows):
            assert position.owner(row, column) == game.stones.get((row, column))
    for side in (0, 1):
        assert position.stones[side] == as_bits(game.stones_of(side))


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(games())
def test_every_illegal_move_is_refused(game: SlowGame) -> None:
    """Full columns, columns off the board, and any column after the end raise `IllegalMove`."""
    position = Position.from_moves(game.board, game.moves)
    legal = ", ".join(str(column) for column in game.legal())
    for column in range(-2, game.board.columns + 2):
        if column in game.legal():
            continue
        if position.is_over:
            sentence = f"column {column} cannot be played: the game is over"
        elif 0 <= column < game.board.columns:
            sentence = f"column {column} is full: legal columns were {legal}"
        else:
            sentence = f"column {column} is off the board: legal columns were {legal}"
        with pytest.raises(IllegalMove) as caught:
            position.play(column)
        assert str(caught.value) == sentence
        if not 0 <= column < game.board.columns:
            with pytest.raises(IllegalMove):
                position.landing_row(column)


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(games())
def test_a_written_game_is_read_as_the_same_position(game: SlowGame) -> None:
    """A game written as board and columns reads as the same position, in either case."""
    position = Position.from_moves(game.board, game.moves)
    text = position.notation()
    assert text == text.strip()
    assert parse_position(text) == position
    assert parse_position(text.upper().replace("X", "x")) == position
    assert parse_moves(format_moves(game.moves)) == tuple(game.moves)
    assert repr(position) == f"Position({text!r})"


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("6x7 33c", NotationError, "'c' at place 3 of '33c' is not a column: use 0..9, a, b"),
        ("", NotationError, "a position is a board and its moves, such as '10x11@3,4 5546a'"),
        ("6x7 33 44", NotationError, "a position is a board and its moves"),
        ("13x7 33", BoardError, "rows must be 4..12, got 13 (in '13x7 33')"),
        ("thu 33", BoardError, "'thu' is not one board: use standard"),
        ("6x7 337", IllegalMove, "column 7 is off the board: legal columns were 0, 1, 2, 3"),
        ("6x7 3333333", IllegalMove, "column 3 is full: legal columns were 0, 1, 2, 4, 5, 6"),
        ("6x7 01010101", IllegalMove, "column 1 cannot be played: the game is over"),
    ],
)
def test_an_unreadable_position_gives_the_reason(
    text: str, error: type[Exception], sentence: str
) -> None:
    """The sentence names the first bad character, the broken rule or the impossible move."""
    with pytest.raises(error) as caught:
        parse_position(text)
    assert type(caught.value) is error
    assert str(caught.value).startswith(sentence)


def test_digits_of_published_test_sets_are_counted_from_one() -> None:
    """Only the digits 1..7 are accepted, on the standard board."""
    assert parse_position("4413", one_based=True) == parse_position("6x7 3302")
    assert parse_position("", one_based=True) == Position(Board(6, 7))
    for text in ("0", "8", "44a", "6x7 44", "4 4"):
        with pytest.raises(NotationError, match=r"one-based positions are columns 1\.\.7"):
            parse_position(text, one_based=True)


def test_the_picture_has_the_top_row_first() -> None:
    """Rows from the top, the forbidden cell marked, one digit a column below."""
    assert parse_position("4x12@1,2 22a2b").picture() == "\n".join(
        [
            ". . O . . . . . . . . .",
            ". . O . . . . . . . . .",
            ". . # . . . . . . . . .",
            ". . X . . . . . . . X X",
            "0 1 2 3 4 5 6 7 8 9 a b",
        ]
    )
    assert parse_position("4x4 0").picture(stones="12", empty="-").splitlines()[3] == "1 - - -"


def test_the_points_of_both_sides_sum_to_two() -> None:
    """They are counted double: 2 for a win; forfeits are the ends that are charged to a bot."""
    assert [result.points2 for result in (Result.WIN, Result.DRAW, Result.LOSS)] == [2, 1, 0]
    for result in Result:
        assert result.points2 + result.mirrored.points2 == 2
    assert {end for end in Termination if end.is_forfeit} == set(FORFEITS)
    assert not Termination.ABORTED.is_forfeit
