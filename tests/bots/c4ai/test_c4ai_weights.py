"""The weights of c4ai: their file, and how they make a player what it is."""

from pathlib import Path

import pytest

from bots.c4ai.weights import LIMIT, Weights, find_weights, inline_weights, read_weights
from bots.catalogue import VERSIONS
from bots.errors import SpecError
from bots.golden import content_hash

PUBLISHED = Weights(29, -237, 126, 936, -21, -884)


def test_the_published_weights_are_shipped() -> None:
    """Without an option the player has the weights that its authors trained."""
    assert find_weights("published") == PUBLISHED
    assert VERSIONS["c4ai"].options == {"weights": "published"}


def test_a_file_of_six_weights_is_read(tmp_path: Path) -> None:
    """Six numbers on one line, with blanks and blank lines around, are read as they stand."""
    file = tmp_path / "mine.csv"
    file.write_text("\n 1, -2 ,+3,4,5,-6\r\n\n")
    assert read_weights(file) == Weights(1, -2, 3, 4, 5, -6)
    assert find_weights("mine.csv", tmp_path) == read_weights(file)
    assert inline_weights("mine.csv", tmp_path) == "1,-2,3,4,5,-6"
    assert find_weights(inline_weights("mine.csv", tmp_path)) == read_weights(file)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"1,2,3,4,5", "line 1: 5 numbers where six"),
        (b"1,2,3,4,5,6,7", "line 1: 7 numbers where six"),
        (b"1,2,3,4,5,", "line 1: '' is not a whole number"),
        (b"\n1,2,x,4,5,6", "line 2: 'x' is not a whole number"),
        (b"1,2,3.5,4,5,6", "line 1: '3.5' is not a whole number"),
        (b"1_0,2,3,4,5,6", "line 1: '1_0' is not a whole number"),
        (b"1,2,3,4,5,6\n\n1,2,3,4,5,6\n", "line 3: a second line"),
        (f"1,2,3,4,5,{LIMIT + 1}".encode(), f"line 1: {LIMIT + 1} is outside"),
        (b"1,2,3\n\xff", "line 2: byte 7 is not UTF-8 text"),
        (b"1," * 5000, "more than 4,096 bytes"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, content: bytes, complaint: str) -> None:
    """The message names the file, the line and what is wrong with it."""
    file = tmp_path / "bad.csv"
    file.write_bytes(content)
    with pytest.raises(SpecError) as refusal:
        read_weights(file)
    assert complaint in str(refusal.value)
    assert "bad.csv" in str(refusal.value)
    with pytest.raises(SpecError, match="cannot be read"):
        find_weights("nothing.csv", tmp_path)


def test_the_content_of_the_file_is_the_identity(tmp_path: Path) -> None:
    """Another content is another player; where the numbers stand does not matter."""
    c4ai = VERSIONS["c4ai"]
    file = tmp_path / "weights.csv"
    file.write_text("1,2,3,4,5,6\n")
    before = content_hash(c4ai, {"weights": str(file)})
    assert before == content_hash(c4ai, {"weights": "1,2,3,4,5,6"}) != content_hash(c4ai, {})
    file.write_text("1,2,3,4,5,7\n")
    assert content_hash(c4ai, {"weights": str(file)}) != before
    assert content_hash(c4ai, {}) == content_hash(c4ai, {"weights": str(PUBLISHED)})
