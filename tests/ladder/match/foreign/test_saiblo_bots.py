"""Course programs on text pipes."""

import shutil
from pathlib import Path

import pytest

from engine.result import Termination
from tests.support.hosted import FAKE_BOTS, entrant, games_of, play, refusal, tried


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(FAKE_BOTS / "course_program.py", tmp_path / "program.py")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["saiblo:./program.py", "saiblo:python3 program.py"])
def test_a_correct_program_gets_the_board_and_plays(folder: Path, spec: str) -> None:
    """The format is the course's, with and without a forbidden cell."""
    if shutil.which("python3", path="/usr/bin") is None:
        pytest.skip("no /usr/bin/python3 for the program's first line")
    found = tried(spec, folder)
    assert (found.boards, len(found.trials)) == (None, 2)
    for board in ("9x12@8,3", "9x9@0,3"):
        games = games_of(play(entrant(spec, folder), board))
        assert [game.detail for game in games] == ["", ""]


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
