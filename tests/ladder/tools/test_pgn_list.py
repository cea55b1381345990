"""Games are separated by their tags, in any notation of moves."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.errors import UsageError
from ladder.stats.pool.rating import RatingOptions
from ladder.tools.pgn_list import (
    count_results,
    rate_file,
)


def results(text: str) -> dict[tuple[str, str], list[int]]:
    return dict(count_results(text.encode().splitlines(keepends=True))[0])


def game(white: str, black: str, result: str, moves: str = "1. e4 e5") -> str:
    return (
        f'[Event "any"]\n[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n'
        f"{moves} {result}\n\n"
    )


def test_results_are_counted_by_white() -> None:
    """Losses, draws and wins must be White's, and unfinished games left out."""
    text = game("a", "b", "1-0") + game("a", "b", "0-1") + game("b", "a", "1/2-1/2")
    text += "[WhiteElo of another program]\n" + game("a", "b", "*")
    counts, skipped = count_results(text.encode().splitlines())
    assert counts == {("a", "b"): [1, 0, 1], ("b", "a"): [0, 1, 0]}
    assert skipped == 1


@pytest.mark.parametrize(
    "moves",
    [
        '{a comment\n[White "not me"]\n} 1. e4',
        '; [White "not me"]\n1. e4',
        "1. e4\n; to the end of the line {\n1... e5",
        "1. e4 ; behind a move {\n1... e5",
        "1. e4 {one; two} {three} ; four {\n1... e5",
        "1. e4 {from here\nto ; here} ; and { on\n1... e5",
        "{none { inside} 1. e4 } 1... e5",
        "% a line of another program {\n1. e4",
        "1. e4\n% a line of another program {\n1... e5",
        '{one} {two\n[Result "1-0"]\nthree} e5',
        "",
    ],
)
def test_comments_are_no_tags(moves: str) -> None:
    """Text like a tag inside a comment must not begin a game."""
    assert results(game("a", "b", "1-0", moves) * 2) == {("a", "b"): [0, 0, 2]}


@pytest.mark.parametrize("later", ["", "{closed}"])
def test_an_unclosed_brace_is_named_with_its_line(later: str) -> None:
    """A comment that swallows games must be refused, whether or not a later brace closes it."""
    first, second = game("a", "b", "1-0", "1. e4 {open"), game("b", "a", "1-0", later)
    with pytest.raises(UsageError, match=r"^line 6: the comment .* before .* in line 11$"):
        results(first + second)
    with pytest.raises(UsageError, match=r"^line 6: the comment that begins here is not closed$"):
        results(first)


PIECES = (
    "{", "}", ";", "%", "\n", "x ", "{c}", "; c\n", "\n% c\n", "{\n}", "\n\n",
)  # fmt: skip


def read_by_letters(text: str) -> None:
    """Read comments one character at a time, by the rules of the standard."""
    comment = ""
    for place, letter in enumerate(text):
        if comment:
            if letter == comment:
                comment = ""
            continue
        if letter == "{":
            comment = "}"
        elif letter == ";" or (letter == "%" and text[place - 1 : place] in ("", "\n")):
            comment = "\n"
    if comment == "}":
        raise UsageError("not closed")


@pytest.mark.slow
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_comments_are_those_of_the_standard(moves: str) -> None:
    """Comments must hide exactly what a reader of single characters finds in them."""
    text = game("a", "b", "1-0", f"x\n{moves}\nx") + game("c", "d", "0-1")
    try:
        read_by_letters(text)
    except UsageError:
        with pytest.raises(UsageError, match="is not closed"):
            results(text)
        return
    assert results(text) == {("a", "b"): [0, 0, 1], ("c", "d"): [1, 0, 0]}


def test_names_keep_their_letters() -> None:
    """Quotes, backslashes, UTF-8, Latin-1 and a byte order mark must be read as they are meant."""
    assert list(results("\ufeff" + game(r"say \"x\" \\", "Müller", "1-0"))) == [
        ('say "x" \\', "Müller")
    ]
    latin = game("Müller", "b", "1-0").encode("latin-1").splitlines()
    assert list(count_results(latin)[0]) == [("Müller", "b")]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (game("a", "b", "1-0") + '[White "a"]\n[Black "b"]\n\n1. e4\n', "line 8: .* Result"),
        (game("a", "b", "2-0"), "line 1: .* '2-0'"),
        (game("a", "a", "1-0"), "two different names"),
        (game("", "b", "1-0"), "two different names"),
        ('[White "a]\n', "line 1: a tag must be"),
    ],
)
def test_what_cannot_be_read_is_refused_by_line(text: str, named: str) -> None:
    """A broken game must be named with its line."""
    with pytest.raises(UsageError, match=named):
        results(text)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (
            gzip.compress(game("a", "b", "1-0").encode(), mtime=0),
            "it is compressed: unpack it by `gunzip`",
        ),
        (b"(\xb5/\xfd...", "`unzstd`"),
        (game("a", "b", "1-0").encode("utf-16"), "it is UTF-16 text: convert it by `iconv"),
        (game("a", "b", "1-0").encode("utf-16-le"), "it is not a text file"),
    ],
)
def test_a_file_of_another_kind_is_named(tmp_path: Path, content: bytes, why: str) -> None:
    """A compressed file or one in another encoding is not a file without games."""
    file = tmp_path / "games.pgn"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=f"games.pgn cannot be read as PGN: .*{why}"):
        rate_file(file, RatingOptions())
