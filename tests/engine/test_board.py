"""Board specifications: presets, parsing, lists, errors, and the draws of `thu`."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings

from engine.board import (
    THU_SIDES,
    Board,
    BoardClass,
    format_board_classes,
    parse_board,
    parse_board_class,
    parse_board_classes,
)
from engine.errors import BoardError
from engine.seeds import SplitMix
from tests.engine.oracle import SlowGame, boards

FORMS = "use thu, standard, RxC such as 6x7 (rows x columns), or RxC@r,c with a forbidden cell"


@pytest.mark.parametrize(
    ("text", "board"),
    [
        ("standard", Board(6, 7)),
        ("6x7", Board(6, 7)),
        (" 10X11 ", Board(10, 11)),
        ("10x11@3,4", Board(10, 11, (3, 4))),
        ("4x12@3,11", Board(4, 12, (3, 11))),
        ("12x4@0,0", Board(12, 4, (0, 0))),
    ],
)
def test_boards_are_read_as_rows_by_columns(text: str, board: Board) -> None:
    """Presets and sizes give the board they name, rows first, whatever the case and spaces."""
    assert parse_board(text) == board


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("13x7", "rows must be 4..12, got 13"),
        ("3x7", "rows must be 4..12, got 3"),
        ("6x13", "columns must be 4..12, got 13"),
        ("6x0", "columns must be 4..12, got 0"),
        (
            "6x7@6,0",
            "the forbidden cell's row must be 0..5 on 6x7 (rows x columns), got 6",
        ),
        (
            "6x7@5,7",
            "the forbidden cell's column must be 0..6 on 6x7 (rows x columns), got 7",
        ),
        ("thu", "thu is a family of boards: name one board, such as 10x11@3,4"),
        ("", f"unknown board '': {FORMS}"),
        ("6", f"unknown board '6': {FORMS}"),
        ("6x7@3", f"unknown board '6x7@3': {FORMS}"),
        ("6x-7", f"unknown board '6x-7': {FORMS}"),
        ("6x7@-1,2", f"unknown board '6x7@-1,2': {FORMS}"),
        ("6 x 7", f"unknown board '6 x 7': {FORMS}"),
        ("\u0666x7", f"unknown board '\u0666x7': {FORMS}"),  # a digit of another script
        ("9" * 5000 + "x7", f"unknown board '{'9' * 5000}x7': {FORMS}"),
    ],
)
def test_an_error_names_the_broken_rule(text: str, sentence: str) -> None:
    """Every refusal is one sentence that says what is allowed."""
    with pytest.raises(BoardError) as caught:
        parse_board(text)
    assert str(caught.value) == sentence


@pytest.mark.slow
@settings(deadline=None)
@given(boards())
def test_writing_a_board_and_reading_it_gives_it_back(board: Board) -> None:
    """The canonical text reads as the same board, alone and in a list."""
    assert parse_board(str(board)) == board
    assert parse_board_classes(f"thu,{board}") == (BoardClass(None), BoardClass(board))


@pytest.mark.slow
@settings(deadline=None)
@given(boards())
def test_a_board_holds_every_cell_but_the_forbidden_one(board: Board) -> None:
    """`cells` is the number of stones that the slow game finds room for, column by column."""
    game = SlowGame(board)
    while landing := game.landing_cells():
        game.stones[landing[0]] = 0
    assert board.cells == len(game.stones)
    assert board.forbidden not in game.stones
    assert parse_board(board.size) == replace(board, forbidden=None)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("6x7,10x11@3,4", "6x7,10x11@3,4"),
        ("10x11@3,4,6x7", "10x11@3,4,6x7"),
        ("10x11@3, 4, thu", "10x11@3,4,thu"),
        ("standard,5x5@2,2,5x5@2,3", "6x7,5x5@2,2,5x5@2,3"),
        ("thu", "thu"),
    ],
)
def test_lists_keep_a_cell_with_its_size(text: str, canonical: str) -> None:
    """A comma inside ``@r,c`` does not end a board, and the order is kept."""
    classes = parse_board_classes(text)
    assert format_board_classes(classes) == canonical
    assert parse_board_classes(canonical) == classes


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("6x7,standard", "a board is repeated in '6x7,standard': name each once"),
        ("6x7,", f"unknown board '': {FORMS}"),
        ("6x7,8", f"unknown board '8': {FORMS}"),
        ("5x5@2,2,3", f"unknown board '3': {FORMS}"),
        ("5x5@2", f"unknown board '5x5@2': {FORMS}"),
        ("6x7,13x13", "rows must be 4..12, got 13"),
    ],
)
def test_a_bad_list_is_refused(text: str, sentence: str) -> None:
    """One bad or repeated entry refuses the whole list with a sentence about that entry."""
    with pytest.raises(BoardError) as caught:
        parse_board_classes(text)
    assert str(caught.value) == sentence


def test_a_fixed_class_draws_its_board_and_uses_no_random_numbers() -> None:
    """A class of one board gives that board and leaves the stream where it was."""
    random = SplitMix(5)
    fixed = parse_board_class("6x7@1,1")
    assert fixed.draw(random) == Board(6, 7, (1, 1))
    assert not fixed.varies
    assert random.next64() == SplitMix(5).next64()


@pytest.mark.slow
def test_thu_draws_uniformly() -> None:
    """Sides come from 9..12 alike, and every cell can be forbidden, the edges included."""
    random = SplitMix(2024)
    thu = parse_board_class("thu")
    assert thu.varies
    draws = 60_000
    sizes: Counter[tuple[int, int]] = Counter()
    cells: Counter[tuple[int, int, int, int]] = Counter()
    for _ in range(draws):
        board = thu.draw(random)
        assert board.forbidden is not None
        sizes[board.rows, board.columns] += 1
        cells[board.rows, board.columns, *board.forbidden] += 1
    assert set(sizes) == {(rows, columns) for rows in THU_SIDES for columns in THU_SIDES}
    # 16 sizes: 3750 expected each, standard deviation 59
    assert all(abs(count - draws / 16) < 300 for count in sizes.values())
    assert len(cells) == sum(rows * columns for rows in THU_SIDES for columns in THU_SIDES)
    bottom = sum(count for (_, _, row, _), count in cells.items() if row == 0)
    top = sum(count for (rows, _, row, _), count in cells.items() if row == rows - 1)
    # a row is one of 9 .. 12: 9.6 % on average
    assert abs(bottom / draws - 0.0962) < 0.006
    assert abs(top / draws - 0.0962) < 0.006


def test_thu_draws_are_reproducible() -> None:
    """The boards of a seed never change, since games are replayed from their seeds."""
    random = SplitMix(1)
    thu = parse_board_class("thu")
    assert [str(thu.draw(random)) for _ in range(4)] == [
        "11x11@10,7",
        "10x10@7,6",
        "12x11@3,4",
        "12x10@7,2",
    ]
