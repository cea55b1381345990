"""Course programs on pipes, in text and in JSON."""

import shutil
from pathlib import Path

import pytest

from engine.result import Termination
from tests.support.hosted import FAKE_BOTS, entrant, games_of, play, refusal, tried


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(FAKE_BOTS / "course_program.py", tmp_path / "program.py")
    shutil.copy(FAKE_BOTS / "json_program.py", tmp_path / "json_program.py")
    (tmp_path / "wrapped.py").write_text("import json_program\n")
    return tmp_path


@pytest.mark.slow
def test_a_correct_program_gets_the_board_and_plays(folder: Path) -> None:
    """The format is the course's, with and without a forbidden cell, for a file and a command."""
    if shutil.which("python3", path="/usr/bin") is None:
        pytest.skip("no /usr/bin/python3 for the program's first line")
    found = tried("saiblo:./program.py", folder)
    assert (found.boards, len(found.trials)) == (None, 2)
    for board in ("9x12@8,3", "9x9@0,3"):
        games = games_of(play(entrant("saiblo:python3 program.py", folder), board))
        assert [game.detail for game in games] == ["", ""]


@pytest.mark.slow
def test_a_program_that_speaks_json_gets_it(folder: Path) -> None:
    """Its file shows what it speaks; else it is found when the program ends at text."""
    assert tried("saiblo:python3 wrapped.py", folder).boards is None
    for board in ("9x12@8,3", "9x9@0,3", "6x7"):
        games = games_of(play(entrant("saiblo:python3 json_program.py", folder), board))
        assert [game.detail for game in games] == ["", ""]


@pytest.mark.slow
def test_a_program_in_json_may_give_up_and_may_need_a_forbidden_cell(folder: Path) -> None:
    """Giving up is no forfeit, and ending on a board without the cell narrows its boards."""
    command = "saiblo:python3 json_program.py"
    games = games_of(play(entrant(f"{command} gives-up", folder), "6x7"))
    assert {game.termination for game in games} == {Termination.RESIGNED}
    found = tried(f"{command} needs-cell", folder)
    assert found.boards == ("forbidden-only",)
    assert "on 6x7 without one it failed" in found.left_out
    assert "exited with status 0" in found.left_out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("exits", "exited with status 3 in the middle of the game"),
        ("words", "answered b'in the middle' where `x y` is wanted"),
        ("bare", "must begin with its length in four bytes"),
    ],
)
def test_a_failure_is_explained(folder: Path, mode: str, expected: str) -> None:
    """The author must read what came and what was wanted."""
    assert expected in refusal(f"saiblo:./program.py {mode}", folder)


@pytest.mark.slow
def test_an_illegal_point_is_explained(folder: Path) -> None:
    """It must be an illegal move, with the legal points named."""
    games = games_of(play(entrant("saiblo:./program.py illegal", folder), "6x7"))
    assert games[0].termination is Termination.ILLEGAL_MOVE
    assert "comes to rest on row 5: legal rows were" in games[0].detail


def test_a_program_that_is_missing_is_refused(folder: Path) -> None:
    """A file that cannot be started must be named."""
    (folder / "program.py").chmod(0o644)
    assert "cannot start ./program.py" in refusal("saiblo:./program.py", folder)
