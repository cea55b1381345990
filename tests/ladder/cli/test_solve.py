"""`ladder solve`: values, columns, limits and files of positions."""

import json
from pathlib import Path

import pytest

from tests.ladder.cli.conftest import Command


@pytest.mark.slow
def test_a_solution_has_a_value_for_every_column(ladder: Command) -> None:
    """The document has the value, the distance and an entry for each column."""
    found = ladder("solve", "01012", "--board", "4x5", "--columns", "--json").document
    assert (found["board"], found["moves"]) == ("4x5", "01012")
    assert (found["value"], found["distance"], found["bounds"]) == ("win", 13, None)
    assert [column["value"] for column in found["columns"]] == ["draw", "win", "win", "draw", "win"]
    assert [column["distance"] for column in found["columns"]] == [None, 13, 13, None, 15]
    text = ladder("solve", "01012", "--board", "4x5", "--columns").out
    assert "O (the second player) is to move: win in 13 plies" in text
    assert "  1  win in 13 plies  best\n" in text
    assert "  4  win in 15 plies\n" in text


def test_a_limit_gives_bounds(ladder: Command) -> None:
    """With a limit of one node bounds are printed instead of values, for every column, too."""
    words = ("solve", "--no-book", "--nodes", "1")
    found = ladder(*words, "--columns", "--json").document
    assert found["value"] is None
    assert found["distance"] is None
    assert (found["bounds"]["at_least"], found["bounds"]["at_most"]) == ("loss", "win")
    assert len([column for column in found["columns"] if column["bounds"]]) == 7
    text = ladder(*words).out
    assert "to move: not decided: no loss in less than 4 plies, no win in less than 3 plies" in text


def test_a_first_question_reports_the_compilation(
    ladder: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without compiled code in the cache a sentence on stderr announces the wait; else none."""
    assert ladder("solve", "--board", "4x5", "01012", "--time", "60s").err == ""
    monkeypatch.setenv("LADDER_CACHE", str(tmp_path))
    told = ladder("solve", "--board", "4x5", "01012", "--time", "60s").err
    assert told.startswith("compiling the solver")


def test_each_line_of_a_file_gives_one_document(ladder: Command, tmp_path: Path) -> None:
    """Boards can be named, and an empty line is the empty board."""
    file = tmp_path / "positions.txt"
    file.write_text("\ufeff01012\n\n4x4@0,1 0123\n01012\n")  # as Windows saves texts
    out = ladder("solve", "--board", "4x5", "--file", file, "--json").out
    documents = [json.loads(line) for line in out.splitlines()]
    assert [(found["board"], found["moves"], found["value"]) for found in documents] == [
        ("4x5", "01012", "win"),
        ("4x5", "", "draw"),
        ("4x4@0,1", "0123", "draw"),
        ("4x5", "01012", "win"),
    ]
    assert documents[0]["nodes"] == documents[3]["nodes"]


def test_the_standard_board_is_answered_from_the_book(ladder: Command, tmp_path: Path) -> None:
    """The empty board and its columns need no search, also in a file; `--no-book` searches."""
    found = ladder("solve", "--columns", "--json").document
    assert (found["value"], found["distance"], found["nodes"]) == ("win", 41, 0)
    assert [column["distance"] for column in found["columns"]] == [40, 42, None, 41, None, 42, 40]
    file = tmp_path / "positions.txt"
    file.write_text("\n3\n")
    for words, nodes in (((), (0, 0)), (("--no-book",), (5, 5))):
        out = ladder("solve", "--file", file, "--nodes", "5", "--json", *words).out
        assert tuple(json.loads(line)["nodes"] for line in out.splitlines()) == nodes


def test_published_notation_counts_from_one(ladder: Command) -> None:
    """`--one-based` reads a position as published test sets write it."""
    found = ladder(
        "solve", "--one-based", "2252576253462244111563365343671351441", "--json"
    ).document
    assert found["moves"] == "1141465142351133000452254232560240330"
    assert (found["value"], found["distance"]) == ("loss", 4)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("0000009", "line 2: column 0 is full: legal columns were 1, 2, 3, 4"),
        ("4x5 0101010", "line 2: the game is over in '4x5 0101010'"),
        ("4x99 0", "line 2: columns must be 4..12, got 99 (in '4x99 0')"),
        ("4x5 1 1", "line 2: a position is a board and its moves"),
        ("hello", "line 2: 'h' at place 1 of 'hello' is not a column"),
    ],
)
def test_a_bad_line_is_named(ladder: Command, tmp_path: Path, line: str, sentence: str) -> None:
    """Nothing is solved before every line of the file is understood."""
    file = tmp_path / "positions.txt"
    file.write_text(f"01\n{line}\n")
    done = ladder("solve", "--board", "4x5", "--file", file)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
