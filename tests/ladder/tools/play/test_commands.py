"""What a person types at the board."""

import pytest

from engine.board import parse_board
from ladder.errors import UsageError
from ladder.tools.play.commands import (
    Said,
    Word,
    understand,
)

WIDE = parse_board("10x12")
STANDARD = parse_board("6x7")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3", Said(Word.DROP, column=3)),
        (" 11 ", Said(Word.DROP, column=11)),
        ("a", Said(Word.DROP, column=10)),
        ("B", Said(Word.DROP, column=11)),
        ("undo", Said(Word.UNDO)),
        ("U", Said(Word.UNDO)),
        ("hint", Said(Word.HINT)),
        ("hint v12", Said(Word.HINT, name="v12")),
        ("h MyBot", Said(Word.HINT, name="MyBot")),
        ("i", Said(Word.INFO)),
        ("?", Said(Word.HELP)),
        ("quit", Said(Word.QUIT)),
    ],
)
def test_columns_and_words_are_understood(text: str, said: Said) -> None:
    """Numbers, letters of written games, words and their first letters."""
    assert understand(text, WIDE) == said


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "type a column, 0 to 6"),
        ("7", "there is no column 7: they are 0 to 6"),
        ("a", "there is no column a"),
        ("99999999999999999999", "they are 0 to 6"),
        ("-1", "neither a column nor a word"),
        ("3 4", "neither a column nor a word"),
        ("undo 3", "neither a column nor a word"),
        ("drop", "neither a column nor a word"),
        ("\u0663", "neither a column nor a word"),
    ],
)
def test_anything_else_gets_a_sentence(text: str, sentence: str) -> None:
    """What cannot be done is said to be so, with what can."""
    with pytest.raises(UsageError, match=sentence):
        understand(text, STANDARD)
