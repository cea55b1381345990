"""Openings drawn by value, checked by a plain search."""

from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from engine.board import parse_board
from engine.board_class import parse_board_classes
from engine.opening_set import Opening, parse_opening_set
from engine.position import Position
from engine.position_key import key_of
from engine.solver.value import Outcome
from ladder.cli.main import run_command
from ladder.errors import UsageError
from ladder.openings.draw import (
    DrawingProgress,
    OpeningConditions,
    WantedValue,
    draw_openings,
)
from tests.engine.solver.oracle import oracle_of


def conditions(
    wanted: WantedValue, *, boards: str = "4x4", plies: int = 4, count: int = 6, seed: int = 1
) -> OpeningConditions:
    return OpeningConditions(
        boards=parse_board_classes(boards),
        plies=plies,
        count=count,
        wanted=wanted,
        seed=seed,
        nodes=1_000_000,
        within=0.1,
    )


def drawn(found_by: OpeningConditions, threads: int = 1) -> tuple[list[Opening], DrawingProgress]:
    progress = DrawingProgress(found_by.count)
    return list(draw_openings(found_by, progress, threads=threads)), progress


def position_of(opening: Opening) -> Position:
    return Position.from_moves(opening.board, opening.moves)


def test_no_two_openings_are_equal_or_mirrored() -> None:
    """Two pairs of games on equal or mirrored openings would be the same pair."""
    found, state = drawn(conditions(WantedValue.ANY, count=60))
    assert len({key_of(position_of(opening))[0] for opening in found}) == 60 == state.tried
    assert all(len(opening.moves) == 4 for opening in found)
    again, _ = drawn(conditions(WantedValue.ANY, count=60))
    other, _ = drawn(conditions(WantedValue.ANY, count=60, seed=2))
    assert again == found != other


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wanted", "outcome"),
    [
        (WantedValue.DRAW, Outcome.DRAW),
        (WantedValue.WIN, Outcome.WIN),
        (WantedValue.LOSS, Outcome.LOSS),
        (WantedValue.BALANCED, Outcome.DRAW),
    ],
)
def test_drawn_openings_have_the_wanted_value(wanted: WantedValue, outcome: Outcome) -> None:
    """Each opening has the wanted value, by brute force."""
    found, state = drawn(conditions(wanted, boards="4x5", plies=9))
    oracle = oracle_of(parse_board("4x5"))
    assert [oracle.value(position_of(opening)).outcome for opening in found] == [outcome] * 6
    assert state.found == 6
    assert state.by_search == 0


def test_positions_that_the_solver_cannot_solve_are_searched() -> None:
    """Balanced openings are near 0 in the search; a proven value needs the solver."""
    values = iter([0.5, -0.2, 0.05, -0.1, 0.11])
    unsolved = replace(conditions(WantedValue.BALANCED, boards="9x9", plies=2, count=2), nodes=1)
    progress = DrawingProgress(2)
    found = list(draw_openings(unsolved, progress, search=lambda _: next(values)))
    assert (len(found), progress.tried, progress.by_search) == (2, 4, 2)
    proven = replace(unsolved, wanted=WantedValue.DRAW, most_rejected=20)
    with pytest.raises(UsageError, match="only 0 of 2 openings were found"):
        list(draw_openings(proven, DrawingProgress(2)))


@pytest.mark.parametrize(("boards", "nodes"), [("4x4", 50), ("4x4,4x5", 20_000)])
def test_threads_draw_the_openings_of_one(boards: str, nodes: int) -> None:
    """Openings and what is counted do not depend on the number of threads."""
    wanted = replace(conditions(WantedValue.DRAW, boards=boards, plies=6), nodes=nodes)
    assert drawn(wanted, threads=3) == drawn(wanted)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stop_ends_a_long_search(threads: int) -> None:
    """A position that would be searched for days is given up."""
    endless = replace(conditions(WantedValue.DRAW, boards="9x9", plies=2), nodes=1 << 50)
    asked = count()
    progress = DrawingProgress(1)
    found = draw_openings(endless, progress, lambda: next(asked) > 8, threads=threads)
    assert list(found) == []
    assert progress.tried <= 1


def test_the_command_writes_the_same_file_for_the_same_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it writes can be read."""
    files = [tmp_path / name for name in ("one.txt", "two.txt")]
    words = ["--boards", "4x4", "--plies", "4", "--count", "5", "--value", "draw", "--seed", "3"]
    for file in files:
        assert run_command(["openings", "make", str(file), *words]) == 0
    assert len(parse_opening_set(files[0].read_text())) == 5
    assert files[0].read_bytes() == files[1].read_bytes()
    printed = capsys.readouterr()
    assert printed.out.startswith("5 openings (")
    assert "wrote 5 openings to " in printed.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--boards", "4x4", "--plies", "1", "--count", "3"), "only 2 of 3 openings"),
        (("--boards", "4x4", "--plies", "99", "--count", "3"), "--plies: an opening of 99 plies"),
        (("--plies", "4", "--count", "3", "--value", "draw", "--balanced"), "contradict"),
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
