"""Files of positions: solved in batches, in order, whatever the threads."""

import os
import threading
from pathlib import Path

import pytest

from engine.board import Board
from engine.position import Position, format_moves
from engine.seeds import SplitMix
from engine.solver.solver import Solver
from ladder.errors import UsageError
from ladder.tools.solve import SolveOptions
from ladder.tools.solve_file import FileSolver, PositionFile
from reports.solve import solved_line
from tests.engine.solver.oracle import random_position

EASY = Board(5, 6)


def some_positions(board: Board, plies: int, count: int) -> list[Position]:
    random = SplitMix(plies)
    return [random_position(board, plies, random) for _ in range(count)]


def lines_of(
    file: Path,
    threads: int = 1,
    *,
    nodes: int | None = None,
    weak: bool = False,
    columns: bool = False,
    board: Board = EASY,
) -> list[str]:
    options = SolveOptions(weak=weak, nodes=nodes, columns=columns)
    solver = FileSolver(options, table_mib=8, threads=threads, on_compile=lambda: None)
    runs = PositionFile(file, board, one_based=False).runs()
    return [solved_line(each, json=False) for run in runs for each in solver.solve_run(run)]


def moves_of(run: list[Position]) -> list[str]:
    return [format_moves(each.moves) for each in run]


@pytest.mark.slow
@pytest.mark.parametrize("limit", [None, 300])
def test_threads_and_batches_change_no_line(tmp_path: Path, limit: int | None) -> None:
    """Three threads print what one prints, and what the solver finds for each position."""
    positions = some_positions(EASY, 9, 100)
    file = tmp_path / "positions.txt"
    file.write_text("".join(f"{format_moves(each.moves)}\n" for each in positions))
    alone = lines_of(file, nodes=limit)
    assert lines_of(file, 3, nodes=limit) == alone
    assert [line.split(":")[0] for line in alone] == [each.notation() for each in positions]
    if limit is None:
        values = [Solver(EASY, 1).solve(each).low for each in positions]
        assert [
            line.split(": ")[1].removesuffix(" plies").removesuffix(" ply") for line in alone
        ] == [str(value) for value in values]


@pytest.mark.parametrize(
    ("written", "later", "expected"),
    [("01\n0", "12\n\n2", ["012", "", "2"]), ("01\r\n0\r", "\n1\n", ["0", "1"])],
)
def test_a_pipe_is_solved_as_it_comes(
    tmp_path: Path, written: str, later: str, expected: list[str]
) -> None:
    """Lines that were written are read before the rest of a line or of its end follows."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    is_read = threading.Event()

    def write() -> None:
        with pipe.open("w", newline="") as stream:
            stream.write(written)
            stream.flush()
            assert is_read.wait(60)
            stream.write(later)

    writer = threading.Thread(target=write)
    writer.start()
    positions = PositionFile(pipe, Board(4, 5), one_based=False)
    assert positions.check() is None  # it can be read only once
    runs = positions.runs()
    assert moves_of(next(runs)) == ["01"]
    is_read.set()
    assert [moves for run in runs for moves in moves_of(run)] == expected
    writer.join()


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_an_empty_line_is_the_empty_board_but_for_the_last_ones(tmp_path: Path, ends: str) -> None:
    """The last line needs no end, and editors leave empty lines below it."""
    file = tmp_path / "positions.txt"
    for last in ("", ends, 2 * ends, f"{ends} {ends}"):
        file.write_bytes((ends.join(["01", "", "0"]) + last).encode())
        runs = PositionFile(file, EASY, one_based=False).runs()
        assert [moves for run in runs for moves in moves_of(run)] == ["01", "", "0"]
    for content, count in (("", 0), (ends, 1)):
        file.write_text(content)
        assert PositionFile(file, EASY, one_based=False).check() == count


def test_published_sets_have_a_score_behind_each_position(tmp_path: Path) -> None:
    """With columns from 1, the first word of a line counts."""
    file = tmp_path / "positions.txt"
    file.write_text("224 -2\n\n3 18 x\n")
    runs = PositionFile(file, EASY, one_based=True).runs()
    assert [moves for run in runs for moves in moves_of(run)] == ["113", "", "2"]


def test_a_file_is_checked_and_counted(tmp_path: Path) -> None:
    """The number of a bad line far down is right, and so is the count of good ones."""
    file = tmp_path / "positions.txt"
    file.write_text("01\n" * 9000)
    assert PositionFile(file, Board(4, 5), one_based=False).check() == 9000
    for line, problem in (
        ("05", "column 5 is off the board"),
        ("00000", "column 0"),
        ("0x", "'0x'"),
        ("0101010", "the game is over in '4x5 0101010'"),
        ("12\x00", ""),
    ):
        file.write_text("01\n" * 9000 + line + "\n")
        with pytest.raises(UsageError, match=f"line 9001: .*{problem}"):
            PositionFile(file, Board(4, 5), one_based=False).check()
