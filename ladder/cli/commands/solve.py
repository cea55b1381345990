"""`ladder solve` and `ladder perft`: exact values of positions, and numbers of sequences."""

import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from engine.board import Board
from engine.solver.value import SolverError
from ladder.cli.options import Work, Workers, whole
from ladder.cli.output import print_error, print_out
from ladder.cli.parsing import parse_one_board, parse_time
from ladder.errors import UsageError
from ladder.match.process.cpus import allowed_cpus
from ladder.match.process.worker_pool import call_in_subprocess
from ladder.tools.solve import SolveOptions, open_solver, read_position
from ladder.tools.solve import solve as solve_position
from ladder.tools.solve_file import FileSolver, PositionFile
from reports.layout.format import to_json
from reports.layout.progress import at_intervals, warn_when_slow
from reports.solve import solved_document, solved_line, solved_text

if TYPE_CHECKING:
    from engine.perft import Perft


def solve(
    moves: str | None = None,
    board: str = "standard",
    columns: bool = False,
    weak: bool = False,
    nodes: Work | None = None,
    time: str | None = None,
    file: Path | None = None,
    memory: Annotated[int, whole(1, 1 << 16)] = 256,
    threads: Workers | None = None,
    no_book: bool = False,
    one_based: bool = False,
    json: bool = False,
) -> int:
    """Compute who wins a position, and in how many plies.

    Both sides play perfectly: the winner wins as soon as possible and the loser holds out as long
    as possible. The value is that of the side to move. Without --nodes or --time the solver runs
    until the value is found, which may take days on boards larger than the standard one. Exit code
    0 also if only bounds were found.

    Arguments:
      MOVES: Columns played so far, one character each: 0 to 9, then a and b. Without them, the
        empty board.

    Options:
      --board BOARD: Board: standard (6x7), or ROWSxCOLUMNS such as 10x11@3,4, whose cell in row 3
        and column 4, counted from 0 at the bottom left, is forbidden.
      --columns: Solve each column that can be played, too.
      --weak: Find win, draw or loss only, which is faster: no distance.
      --nodes N: Most positions to search; a value that is not found by then is given as bounds.
      --time 100ms|2s: Longest time to search a position; bounds are given then, too.
      --file FILE: Solve all positions of a file: one 'MOVES' or 'BOARD MOVES' per line.
      --memory MIB: Memory of the solver's table, in MiB; with --file and --nodes, of each thread's.
      --threads N: Threads that search one position together; with --nodes, one for each position,
        so that answers repeat. [the CPUs that this process may use]
      --no-book: Search also the positions whose values are stored.
      --one-based: Count columns from 1, as published test sets of the standard board do; with
        --file, the first word of a line counts.

    Example:
      ladder solve 33333 --board 6x7 --columns
    """
    if file is not None and moves is not None:
        raise UsageError("give either MOVES or --file, not both")
    specification = parse_one_board(board)
    seconds = None if time is None else parse_time(time, "for a position") / 1000
    options = SolveOptions(weak=weak, columns=columns, nodes=nodes, seconds=seconds)
    threads = allowed_cpus() if threads is None else threads

    def announce_compilation() -> None:
        print_error("compiling the solver: some 20 seconds, once")

    if file is None:
        position = read_position(moves or "", specification, one_based=one_based)
        if position.is_over:
            raise SolverError(f"the game is over in {position.notation()!r}: nothing to solve")
    else:
        positions = PositionFile(file, specification, one_based=one_based)
        total = positions.check()
    done = 0
    processors = "one processor" if threads == 1 else f"{threads} processors"
    advice = (
        f"a position takes long: without a limit the solver uses {processors} and {memory} MiB "
        "until it has found the value, which may take days on boards larger than 6x7; Ctrl-C stops "
        "it, and --time or --nodes limits it and gives bounds"
    )
    is_unlimited = nodes is None and seconds is None
    watch = (
        warn_when_slow(partial(print_error, advice), lambda: done)
        if is_unlimited
        else nullcontext()
    )

    if file is None:
        solver = open_solver(
            position.board, memory, threads, announce_compilation, has_book=not no_book
        )
        with watch:
            solved = solve_position(solver, position, options)
        print_out(to_json(solved_document(solved)) if json else solved_text(solved))
        return 0
    file_solver = FileSolver(
        options,
        table_mib=memory,
        threads=threads,
        on_compile=announce_compilation,
        has_book=not no_book,
    )
    report = at_intervals(print_error)
    # compiled before the watch: it is no position that takes long
    open_solver(specification, 1, 1, announce_compilation, has_book=False)
    with watch:
        for run in positions.runs():
            for solved in file_solver.solve_run(run):
                print_out(solved_line(solved, json=json))
                done += 1
                if not sys.stdout.isatty():
                    report(f"{done:,}{'' if total is None else f' of {total:,}'} positions solved")
    return 0


def perft(
    board: str,
    depth: Annotated[int, whole(0, 12)],
    json: bool = False,
) -> int:
    """Count the legal move sequences of each length.

    They check another program's rules. A won game is not continued.

    Arguments:
      BOARD: Board: standard (6x7), or ROWSxCOLUMNS such as 10x11@3,4.
      DEPTH: Longest sequence to count, in plies, 0 to 12.

    Example:
      ladder perft 6x7 6
    """
    specification = parse_one_board(board)
    result = call_in_subprocess(_count, specification, depth)
    if json:
        document = {"board": str(specification), "counts": result.counts, "wins": result.wins}
        print_out(to_json(document))
        return 0
    print_out(f"{'ply':>3} {'sequences':>15} {'of them won':>15}")
    for ply, (leaves, wins) in enumerate(zip(result.counts, result.wins, strict=True)):
        print_out(f"{ply:>3} {leaves:>15,} {wins:>15,}")
    return 0


def _count(board: Board, depth: int) -> "Perft":
    from engine.perft import perft  # loads the compiler

    return perft(board, depth)
