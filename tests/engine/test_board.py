"""Board specifications: presets, parsing, lists, errors, and the draws of `thu`."""

from collections import Counter

import pytest
from hypothesis import given, settings

from engine.board import Board, parse_board
from engine.board_class import (
    THU,
    BoardClass,
    BoardSet,
    format_board_classes,
    parse_board_class,
    parse_board_classes,
)
from engine.errors import BoardError
from engine.seeds import SplitMix
from tests.engine.oracle import boards

SIDES = range(9, 13)
FORMS = "use thu, standard, RxC such as 6x7 (rows x columns), or RxC@r,c with a forbidden cell"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("13x7", "rows must be 4..12, got 13"),
        ("6x0", "columns must be 4..12, got 0"),
        ("6x7@6,0", "the forbidden cell's row must be 0..5 on 6x7 (rows x columns), got 6"),
        ("6x7@5,7", "the forbidden cell's column must be 0..6 on 6x7 (rows x columns), got 7"),
        ("6x7@-1,2", f"unknown board '6x7@-1,2': {FORMS}"),
        ("6 x 7", f"unknown board '6 x 7': {FORMS}"),
        ("\u0666x7", f"unknown board '\u0666x7': {FORMS}"),  # a digit of another script
        ("9" * 5000 + "x7", f"unknown board '{'9' * 5000}x7': {FORMS}"),
        ("6x7,standard", "a board is repeated in '6x7,standard': name each once"),
        ("6x7,", f"unknown board '': {FORMS}"),
        ("5x5@2,2,3", f"unknown board '3': {FORMS}"),
        ("5x5@2", f"unknown board '5x5@2': {FORMS}"),
    ],
)
def test_a_refusal_names_the_broken_rule(text: str, sentence: str) -> None:
    """One bad or repeated board refuses the whole list, in a sentence that says what is allowed."""
    with pytest.raises(BoardError) as caught:
        parse_board_classes(text)
    assert str(caught.value) == sentence
    with pytest.raises(BoardError, match="'thu' is not one board: use standard, RxC"):
        parse_board("thu")


@pytest.mark.slow
@settings(deadline=None)
@given(boards())
def test_writing_a_board_and_reading_it_gives_it_back(board: Board) -> None:
    """The canonical text reads as the same board, alone and in a list."""
    assert parse_board(str(board)) == board
    assert parse_board_classes(f"thu,{board}") == (BoardClass(THU), BoardClass(board))


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (" 10X11 ", "10x11"),
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


@pytest.mark.slow
def test_thu_draws_uniformly() -> None:
    """Sides come from 9..12 alike, and every cell can be forbidden, the edges included."""
    random = SplitMix(2024)
    thu = parse_board_class("thu")
    assert thu.is_large
    assert thu.single is None
    draws = 60_000
    sizes: Counter[tuple[int, int]] = Counter()
    cells: Counter[tuple[int, int, int, int]] = Counter()
    for _ in range(draws):
        board = thu.draw(random)
        assert board.forbidden is not None
        sizes[board.rows, board.columns] += 1
        cells[board.rows, board.columns, *board.forbidden] += 1
    assert set(sizes) == {(rows, columns) for rows in SIDES for columns in SIDES}
    # 16 sizes: 3750 expected each, standard deviation 59
    assert all(abs(count - draws / 16) < 300 for count in sizes.values())
    assert len(cells) == sum(rows * columns for rows in SIDES for columns in SIDES)
    bottom = sum(count for (_, _, row, _), count in cells.items() if row == 0)
    top = sum(count for (rows, _, row, _), count in cells.items() if row == rows - 1)
    # a row is one of 9 .. 12: 9.6 % on average
    assert abs(bottom / draws - 0.0962) < 0.006
    assert abs(top / draws - 0.0962) < 0.006


def test_a_class_has_exactly_its_boards() -> None:
    """A board is a class of its own; a set has its sizes, with a forbidden cell or without."""
    thu, fixed = BoardClass(THU), parse_board_class("9x9")
    mini = BoardClass(BoardSet("mini", "5x6 and 6x5", ((5, 6), (6, 5)), False, False))
    boards = ["9x12@0,0", "9x9", "8x9@0,0", "9x9@1,1", "5x6", "6x5", "5x5", "6x6", "5x6@0,0"]
    included = {
        str(kind): [text for text in boards if kind.includes(parse_board(text))]
        for kind in (thu, fixed, mini)
    }
    assert included == {"thu": ["9x12@0,0", "9x9@1,1"], "9x9": ["9x9"], "mini": ["5x6", "6x5"]}
    assert {str(mini.draw(SplitMix(seed))) for seed in range(20)} == {"5x6", "6x5"}
    assert (str(thu.smallest), str(thu.largest)) == ("9x9@0,0", "12x12@0,0")
    assert [kind.is_large for kind in (thu, fixed, mini)] == [True, False, False]


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
