"""Sets of openings: their text, their hash and what is refused."""

import pytest

from engine.board import parse_board
from engine.errors import OpeningError
from engine.opening_set import Opening, parse_opening_set

TEXT = "6x7 3342\n\n  # a comment\n6x7\n10x11@3,4 5546a\n 6X7   01 \n"


def test_a_file_is_read_and_written_in_canonical_order() -> None:
    """Empty lines, comments and blanks do not count; an empty board is an opening."""
    known = parse_opening_set(TEXT)
    assert known.text == "10x11@3,4 5546a\n6x7\n6x7 01\n6x7 3342\n"
    assert parse_opening_set(known.text) == known
    assert len(known) == 4
    assert known.boards == (parse_board("10x11@3,4"), parse_board("6x7"))
    assert known.openings[3] == Opening(parse_board("6x7"), (3, 3, 4, 2))


def test_the_hash_is_of_the_content() -> None:
    """The order of the lines must not matter, and every move must."""
    one = parse_opening_set("6x7 01\n6x7 3342\n")
    assert one.content_hash == parse_opening_set("# a\n6x7 3342\nstandard 01").content_hash
    assert one.content_hash != parse_opening_set("6x7 01\n6x7 3343\n").content_hash
    assert len(one.content_hash) == 32


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "there are no openings"),
        ("# nothing\n\n", "there are no openings"),
        ("6x7 01\n6x7 0000000", "line 2: column 0 is full"),
        ("6x7 01\n\n6x7 8", "line 3: column 8 is off the board"),
        ("6x7 0101010", "line 1: the game is over after these moves"),
        ("6x7 01010101", "line 1: column 1 cannot be played: the game is over"),
        ("6x7 0x1", "line 1: 'x' at place 2"),
        ("13x7 01", "line 1: rows must be 4..12, got 13"),
        ("thu 01", "line 1: 'thu' is not one board"),
        ("01", "line 1: '01' is not one board"),
        ("6x7 0 1", "line 1: a position is a board and its moves"),
        ("6x7 012\n6x7 10\n6x7 210", "line 3: the position of line 1 again"),
        ("6x7\nstandard", "line 2: the position of line 1 again"),
    ],
)
def test_refusals_name_the_line(text: str, sentence: str) -> None:
    """The author of the file must find the line and learn what is wrong with it."""
    with pytest.raises(OpeningError) as refused:
        parse_opening_set(text)
    assert str(refused.value).startswith(sentence)
    with pytest.raises(OpeningError, match="line 3: a set has at most 2 openings"):
        parse_opening_set("6x7 0\n6x7 1\n6x7 2", most=2)
