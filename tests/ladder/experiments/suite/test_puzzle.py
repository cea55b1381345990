"""Files of puzzles: what is read, what is refused, and with which line."""

from pathlib import Path

import pytest

from engine.position import parse_position
from engine.solver.solver import Solver
from ladder.errors import UsageError
from ladder.experiments.suite.puzzle import Puzzle, puzzle_of, read_suite, right_column, text_of
from ladder.results.analysis.verdict import FAR, UNBOUNDED, Bounds, solve_columns

GOOD = (
    '{"board":"5x5","moves":"32144442212","answer":3,"value":"win","distance":11,"theme":"endgame"}'
)
DRAWN = (
    '{"board":"5x5","moves":"3214444221241","answer":1,"value":"draw","distance":null,'
    '"theme":"trap"}'
)


def suite_of(folder: Path, *lines: str) -> Path:
    file = folder / "mine.jsonl"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_a_suite_is_read(tmp_path: Path) -> None:
    """Puzzles come back as they stand, with empty lines left out."""
    suite = read_suite(str(suite_of(tmp_path, GOOD, "", DRAWN)))
    assert (suite.name, suite.themes) == ("mine", ("endgame", "trap"))
    assert text_of(suite.puzzles) == f"{GOOD}\n{DRAWN}\n"
    assert suite.puzzles[1] == Puzzle("5x5", "3214444221241", 1, "draw", None, "trap")
    other = read_suite(str(suite_of(tmp_path, DRAWN, GOOD)))
    assert suite.content_hash != other.content_hash


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (GOOD.replace('"answer":3', '"answer":2'), "the only right column is 3, not 2"),
        (GOOD.replace('"answer":3', '"answer":9'), "column 9 cannot be played"),
        (GOOD.replace('"answer":3', '"answer":12'), "line 2"),
        (GOOD.replace('"win"', '"draw"').replace("11", "null"), "line 2"),
        (GOOD.replace('"distance":11', '"distance":9'), "the distance is 11, not 9"),
        (GOOD.replace('"distance":11', '"distance":null'), "the distance is 11, not None"),
        (GOOD.replace('"win"', '"draw"'), "the value is win, not draw"),
        (GOOD.replace("32144442212", "3214444221"), "line 2"),
        (GOOD.replace("32144442212", ""), "line 2"),
        (GOOD.replace("32144442212", "0101010"), "the game is over after these moves"),
        (GOOD.replace("32144442212", "000000"), "column 0 is full"),
        (GOOD.replace("5x5", "3x5"), "rows must be 4..12"),
        (GOOD.replace('"answer":3', '"answer":"three"'), "line 2"),
        (GOOD.replace('"answer":3,', ""), "missing required field `answer`"),
        (GOOD.replace('"theme":"endgame"', '"theme":"end\\u001bgame"'), "line 2"),
        (GOOD[:-1], "line 2"),
        (DRAWN, "repeats the position of line 1"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, sentence: str) -> None:
    """A wrong answer would count against every bot that finds the right one."""
    with pytest.raises(UsageError) as refused:
        read_suite(str(suite_of(tmp_path, DRAWN, line)))
    assert "mine.jsonl, line 2: " in str(refused.value)
    assert sentence in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe", None])
def test_a_file_without_puzzles_is_refused(tmp_path: Path, content: bytes | None) -> None:
    """One sentence says what is wrong with the file."""
    file = tmp_path / "mine.jsonl"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError, match=r"mine\.jsonl"):
        read_suite(str(file))


def test_exactly_one_column_must_keep_the_result() -> None:
    """Several right columns, none, or one that is open are no puzzle."""
    win, draw, loss = (Bounds(number, number) for number in (FAR - 3, 0, 4 - FAR))
    assert right_column((draw, win, None)) == 1
    assert right_column((draw, None, loss)) == 0
    assert right_column((win, Bounds(FAR - 5, FAR - 5))) is None
    assert right_column((None, win)) is None
    assert right_column((win, UNBOUNDED)) is None
    assert right_column((loss, Bounds(6 - FAR, 6 - FAR))) is None
    assert right_column((win, Bounds(1 - FAR, 0))) == 0


def test_a_puzzle_has_the_answer_of_the_solver() -> None:
    """Answer, value and distance are the solver's."""
    position = parse_position("5x5 32144442212")
    columns = solve_columns(Solver(position.board, 1), position, 10_000_000)
    made = puzzle_of(position, columns, "endgame")
    assert text_of([made]) == GOOD + "\n"
    both = (Bounds(0, 0), Bounds(0, 0))
    with pytest.raises(ValueError, match="does not have exactly one right move"):
        puzzle_of(position, both, "endgame")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["standard", "forbidden"])
def test_shipped_suites_are_right(name: str) -> None:
    """Every answer of the suites that come with the program is checked by the solver."""
    suite = read_suite(name)
    assert len(suite.puzzles) == 200
    assert len(suite.themes) == 5
    boards = {puzzle.position.board.forbidden is not None for puzzle in suite.puzzles}
    assert boards == {name == "forbidden"}
