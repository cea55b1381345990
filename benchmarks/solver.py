"""How fast the solver is: `python -m benchmarks.solver [SET...] [--count N] [--json]`.

`empty --threads 1,2 --repeat 5` measures the clock time of the empty standard board with one and
two threads by turns, and `--columns` that of all its columns, too. `--file` measures the processor
time of the command `ladder solve --file` with one thread, start and end of the process left out.
`--public PROGRAM`, as often as wanted, measures by turns with it a program that reads one position
a line from its standard input, columns counted from 1. docs/results/solver.md says how two of them
are built.

Makes the classic sets of the standard board by their recipe and prints processor time and nodes per
position beside the public figures, the table emptied before each position. `empty` is the empty
standard board; `--larger` measures middle games of larger boards under a limit of nodes.

The recipe: a random legal game is cut at a random ply of the set's range; the position belongs to
the set when the game would last as many plies more under best play as the set asks. Positions that
are not solved within the limit of nodes are left out.
"""

import argparse
import json
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.board import Board
from engine.board_class import parse_board_class
from engine.position import Position
from engine.seeds import SplitMix
from engine.solver.book import NO_BOOK
from engine.solver.geometry import positions_words
from engine.solver.solver import Solver

STANDARD = Board(6, 7)
SEED = 2026
LIMIT = 20_000_000
"""Nodes after which a candidate for a set is given up."""


@dataclass(frozen=True)
class Set:
    """The recipe of a set, and what the fastest public program needs for the classic one."""

    plies: tuple[int, int]
    left: tuple[int, int]
    """Plies to the end of the game under best play."""
    count: int
    public_us: float | None


SETS = {
    "endgame-easy": Set((29, 41), (1, 13), 1000, 4.6),
    "middle-easy": Set((15, 28), (1, 13), 1000, 41),
    "middle-medium": Set((15, 28), (14, 27), 300, 3900),
    "opening-easy": Set((8, 14), (1, 13), 100, 289),
    "opening-medium": Set((8, 14), (14, 27), 30, 115_000),
    "opening-hard": Set((6, 14), (28, 42), 5, None),
}
FILE_COUNTS = {"endgame-easy": 20_000, "middle-easy": 20_000, "opening-easy": 2000}
"""Easy sets are larger in a file, so that they take longer than the start of the process."""
FILE_TIMES = 10
"""Times that an easy set stands in the file, so that it takes longer than the start of the process
varies."""
PUBLIC_EMPTY_US = 24e6
LARGER = ("9x5", "10x6", "9x9", "10x10", "thu")
FREE_CELLS = (24, 28, 32, 36)
LARGER_COUNT = 10
LARGER_LIMIT = 2_000_000


def random_position(board: Board, plies: int, random: SplitMix) -> Position:
    """Return a position after random plies that have not ended the game."""
    while True:
        position = Position(board)
        while position.ply < plies and not position.is_over:
            position = position.play(random.choice(position.legal_moves()))
        if not position.is_over:
            return position


def quiet_position(board: Board, plies: int, random: SplitMix) -> Position:
    """Return a position after random plies none of which won, though some could have.

    On large boards a random game seldom lasts until few cells are free.
    """
    position = Position(board)
    while position.ply < plies:
        after = [position.play(column) for column in position.legal_moves()]
        quiet = [choice for choice in after if not choice.is_over]
        position = random.choice(quiet) if quiet else Position(board)
    return position


def positions_of(recipe: Set, count: int) -> list[Position]:
    """Return the positions of a set, the same on every call."""
    random, solver, found = SplitMix(SEED), Solver(STANDARD, book=NO_BOOK), list[Position]()
    first, last = recipe.plies
    while len(found) < count:
        plies = first + random.below(last - first + 1)
        position = random_position(STANDARD, plies, random)
        solution = solver.solve(position, nodes=LIMIT, within=recipe.left[1])
        left = STANDARD.cells - plies if solution.distance is None else solution.distance
        if solution.is_exact and recipe.left[0] <= left <= recipe.left[1]:
            found.append(position)
    return found


def processor_s(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a call and its processor time in seconds."""
    before = time.process_time()
    result = work()
    return result, time.process_time() - before


def measure_set(name: str, count: int | None, repeat: int) -> dict[str, Any]:
    """Return nodes and microseconds per position, the least of several runs."""
    recipe = SETS[name]
    positions = positions_of(recipe, count or recipe.count)
    solver = Solver(STANDARD, book=NO_BOOK)
    solver.prepare()
    stones = positions_words(positions, STANDARD)
    runs = [processor_s(lambda: solver.scores(stones, clears=True)) for _ in range(repeat)]
    return {
        "set": name,
        "positions": len(positions),
        "nodes": float(runs[0][0][:, 2].mean()),
        "us": min(seconds for _, seconds in runs) / len(positions) * 1e6,
        "public_us": recipe.public_us,
    }


def measure_empty() -> dict[str, Any]:
    """Measure the empty standard board, a win in 41."""
    solver = Solver(STANDARD, book=NO_BOOK)
    solver.prepare()
    solver.clear()
    solution, seconds = processor_s(lambda: solver.solve(Position(STANDARD)))
    assert str(solution.low) == "win in 41"
    assert solution.is_exact
    return {
        "set": "empty",
        "positions": 1,
        "nodes": solution.nodes,
        "us": seconds * 1e6,
        "public_us": PUBLIC_EMPTY_US,
    }


def measure_threads(
    counts: Sequence[int], repeat: int, public: Sequence[str], *, columns: bool
) -> list[dict[str, Any]]:
    """Measure the clock time of the empty standard board by turns of threads and programs."""
    rows = []
    for _ in range(repeat):
        for threads in counts:
            for is_columns in (False, True) if columns else (False,):
                solver = Solver(STANDARD, threads=threads, book=NO_BOOK)
                solver.prepare()
                before = time.perf_counter()
                ask = solver.columns if is_columns else solver.solve
                ask(Position(STANDARD))
                seconds = time.perf_counter() - before
                asked = "columns" if is_columns else "value"
                rows.append({"asked": asked, "by": f"{threads} threads", "s": seconds})
        for program in public:
            before = time.perf_counter()
            subprocess.run(shlex.split(program), input=b"\n", capture_output=True, check=True)
            rows.append({"asked": "value", "by": program, "s": time.perf_counter() - before})
    return rows


def show_threads(rows: Sequence[dict[str, Any]]) -> None:
    """Print the median of each question and of those who answered it."""
    for asked, by in dict.fromkeys((row["asked"], row["by"]) for row in rows):
        each = [row["s"] for row in rows if (row["asked"], row["by"]) == (asked, by)]
        print(f"{asked:8} {by}: median {statistics.median(each):.2f} s of {each}")


def measure_file(
    name: str, count: int | None, repeat: int, public: Sequence[str]
) -> dict[str, Any]:
    """Return microseconds per position of the command and of public programs."""
    recipe = SETS[name]
    positions = positions_of(recipe, count or FILE_COUNTS.get(name, recipe.count))
    lines = ["".join(str(column + 1) for column in position.moves) for position in positions]
    ladder = [str(Path(sys.executable).with_name("ladder")), "solve", "--one-based", "--no-book"]
    ladder += ["--threads", "1"]
    programs = {"us": [*ladder, "--file"]} | {program: shlex.split(program) for program in public}
    times: dict[str, list[float]] = {key: [] for key in programs}
    with tempfile.TemporaryDirectory() as folder:
        one = Path(folder) / "one"
        one.write_text(lines[0] + "\n")
        for _ in range(repeat):
            for key, program in programs.items():
                often = FILE_TIMES if key == "us" and name in FILE_COUNTS else 1
                file = Path(folder) / f"{often}"
                file.write_text(("\n".join(lines) + "\n") * often)
                took = [_process_s(program, each) for each in (one, file)]
                times[key].append((took[1] - took[0]) / (often * len(lines)) * 1e6)
    medians = {key: statistics.median(each) for key, each in times.items()}
    return {"set": name, "positions": len(positions), **medians}


def _process_s(program: Sequence[str], file: Path) -> float:
    """Return the processor time of a program that reads a file, by name or from its input."""
    by_name = [*program, str(file)] if "--file" in program else program
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with file.open() as stream:
        subprocess.run(by_name, stdin=stream, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_larger(text: str, free: int, count: int, limit: int) -> dict[str, Any]:
    """Measure middle games of a larger board: share decided, nodes, time."""
    random = SplitMix(SEED)
    solved, weak, nodes, seconds = 0, 0, 0, 0.0
    for _ in range(count):
        board = parse_board_class(text).draw(random)
        solver = Solver(board)
        solver.prepare()
        position = quiet_position(board, board.cells - free, random)
        answer, used = processor_s(lambda: solver.solve(position, nodes=limit))  # noqa: B023
        solver.clear()
        outcome = solver.solve(position, weak=True, nodes=limit).outcome
        solved, weak = solved + answer.is_exact, weak + (outcome is not None)
        nodes, seconds = nodes + answer.nodes, seconds + used
    return {
        "board": text,
        "free": free,
        "positions": count,
        "exact": solved / count,
        "outcome": weak / count,
        "nodes": nodes / count,
        "us": seconds / count * 1e6,
    }


def show(row: dict[str, Any]) -> None:
    """Print one row."""
    if "set" in row and "nodes" not in row:
        times = "".join(
            f"{value:14,.1f}" for key, value in row.items() if key not in ("set", "positions")
        )
        print(f"{row['set']:16}{row['positions']:6}{times}", flush=True)
    elif "set" in row:
        public = "" if row["public_us"] is None else f"{row['public_us']:14,.1f}"
        print(
            f"{row['set']:16}{row['positions']:6}{row['nodes']:16,.1f}{row['us']:14,.1f}{public}",
            flush=True,
        )
    else:
        print(
            f"{row['board']:8}{row['free']:6}{row['positions']:6}{row['exact']:8.0%}"
            f"{row['outcome']:9.0%}{row['nodes']:14,.0f}{row['us']:14,.0f}",
            flush=True,
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", help=f"of {', '.join((*SETS, 'empty'))}; default all")
    parser.add_argument("--count", type=int, help="positions of each set")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--larger", action="store_true", help="middle games of larger boards")
    parser.add_argument("--threads", help="thread counts for the empty board, such as 1,2")
    parser.add_argument("--columns", action="store_true", help="with --threads: its columns, too")
    parser.add_argument("--file", action="store_true", help="measure the command with a file")
    parser.add_argument(
        "--public",
        metavar="PROGRAM",
        action="append",
        default=[],
        help="with --file or --threads: measure PROGRAM, too; may be repeated",
    )
    parser.add_argument("--json", action="store_true", help="an object a line instead of a table")
    options = parser.parse_args()
    if options.public and not (options.file or options.threads):
        parser.error("--public needs --file or --threads")
    tell = (lambda row: print(json.dumps(row), flush=True)) if options.json else show
    if options.threads:
        counts = [int(word) for word in options.threads.split(",")]
        show_threads(
            measure_threads(counts, options.repeat, options.public, columns=options.columns)
        )
        return
    if options.larger:
        if not options.json:
            print("board     free     n   exact  outcome  nodes/position  us/position")
        for board in LARGER:
            for free in FREE_CELLS:
                tell(measure_larger(board, free, options.count or LARGER_COUNT, LARGER_LIMIT))
        return
    if options.file:
        if not options.json:
            public = "".join(f"{Path(shlex.split(one)[0]).name:>14}" for one in options.public)
            print(f"set                  n   us/position{public}")
        for name in options.sets or SETS:
            tell(measure_file(name, options.count, options.repeat, options.public))
        return
    if not options.json:
        print("set                  n  nodes/position   us/position     public us")
    for name in options.sets or [*SETS, "empty"]:
        tell(
            measure_empty() if name == "empty" else measure_set(name, options.count, options.repeat)
        )


if __name__ == "__main__":
    main()
