"""Openings drawn by value, checked by a plain search."""

from pathlib import Path

import pytest

from engine.board import parse_board, parse_board_classes
from engine.opening_set import Opening, parse_opening_set
from engine.position import Position
from engine.position_key import key_of
from engine.solver.value import Outcome
from ladder.cli.main import run_command
from ladder.errors import UsageError
from ladder.match.openings import draw
from ladder.match.openings.draw import Drawing, Recipe, Wanted, draw_openings
from tests.engine.solver.oracle import Oracle


def drawn(wanted: Wanted, *, count: int = 6, **changes: object) -> tuple[list[Opening], Drawing]:
    values: dict[str, object] = {
        "boards": parse_board_classes("4x4"),
        "plies": 4,
        "count": count,
        "wanted": wanted,
        "seed": 1,
        "nodes": 1_000_000,
        "within": 0.1,
    }
    state = Drawing(count)
    found = list(draw_openings(Recipe(**{**values, **changes}), state))  # type: ignore[arg-type]
    return found, state


def position_of(opening: Opening) -> Position:
    return Position.from_moves(opening.board, opening.moves)


def test_no_two_are_equal_or_mirrored() -> None:
    """A pair of games on either of them would tell the same."""
    found, state = drawn(Wanted.ANY, count=60)
    assert len({key_of(position_of(opening))[0] for opening in found}) == 60 == state.tried
    assert all(len(opening.moves) == 4 for opening in found)
    again, _ = drawn(Wanted.ANY, count=60)
    other, _ = drawn(Wanted.ANY, count=60, seed=2)
    assert again == found != other


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wanted", "outcome"),
    [
        (Wanted.DRAW, Outcome.DRAW),
        (Wanted.WIN, Outcome.WIN),
        (Wanted.LOSS, Outcome.LOSS),
        (Wanted.BALANCED, Outcome.DRAW),
    ],
)
def test_values_are_proven(wanted: Wanted, outcome: Outcome) -> None:
    """Each kept position must have the value that was asked for, by brute force."""
    found, state = drawn(wanted, boards=parse_board_classes("4x5"), plies=9)
    oracle = Oracle(parse_board("4x5"))
    assert [oracle.value(position_of(opening)).outcome for opening in found] == [outcome] * 6
    assert state.found == 6
    assert state.by_search == 0


def test_what_the_solver_leaves_open_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Balanced openings are near 0 in the search; a proven value needs the solver."""
    values = iter([0.5, -0.2, 0.05, -0.1, 0.11])
    monkeypatch.setattr(draw, "_searched", lambda _: next(values))
    found, state = drawn(
        Wanted.BALANCED, count=2, boards=parse_board_classes("9x9"), plies=2, nodes=1
    )
    assert (len(found), state.tried, state.by_search) == (2, 4, 2)
    monkeypatch.setattr(draw, "VAIN", 20)
    with pytest.raises(UsageError, match="only 0 of 2 openings were found"):
        drawn(Wanted.DRAW, count=2, boards=parse_board_classes("9x9"), plies=2, nodes=1)


def test_classes_take_turns() -> None:
    """Every board of the list gets its share."""
    found, _ = drawn(Wanted.ANY, boards=parse_board_classes("4x4,thu"))
    assert [opening.board.rows > 4 for opening in found] == [False, True] * 3


def test_the_command_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it writes can be read, and equal seeds give equal files."""
    files = [tmp_path / name for name in ("one.txt", "two.txt")]
    words = ["--boards", "4x4", "--plies", "4", "--count", "5", "--value", "draw", "--seed", "3"]
    for file in files:
        assert run_command(["openings", "make", str(file), *words]) == 0
    assert len(parse_opening_set(files[0].read_text())) == 5
    assert files[0].read_bytes() == files[1].read_bytes()
    assert "5 openings in" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--boards", "4x4", "--plies", "1", "--count", "3"), "only 2 of 3 openings"),
        (("--boards", "4x4", "--plies", "99", "--count", "3"), "--plies: an opening of 99 plies"),
        (("--boards", "3x4", "--plies", "9", "--count", "3"), "--boards: rows must be 4..12"),
        (("--plies", "4", "--count", "3", "--value", "draw", "--balanced"), "contradict"),
        (("--plies", "4", "--count", "0"), "'--count'"),
        (("--plies", "4", "--count", "3", "--value", "good"), "'--value'"),
    ],
)
def test_bad_input_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    """One sentence and exit code 2."""
    file = tmp_path / "openings.txt"
    assert run_command(["openings", "make", str(file), *words]) == 2
    assert sentence in capsys.readouterr().err
    assert not file.exists()
