"""`ladder solve`: the exact value of positions."""

from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.options import MOST_WORK, Json


def solve(
    moves: Annotated[
        str | None,
        typer.Argument(metavar="[MOVES]", help="Columns played so far, one character each."),
    ] = None,
    board: Annotated[
        str, typer.Option(metavar="BOARD", help="standard, 6x7, 10x11@3,4: rows x columns.")
    ] = "standard",
    columns: Annotated[bool, typer.Option("--columns", help="The value of each column.")] = False,
    weak: Annotated[
        bool, typer.Option("--weak", help="Only win, draw or loss: the distance may stay open.")
    ] = False,
    nodes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=MOST_WORK,
            help="Positions to look into at most; then bounds are told.",
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(metavar="100ms|2s", help="Time for a position at most; then bounds are told."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A position a line: MOVES, or BOARD MOVES."),
    ] = None,
    keep_table: Annotated[
        bool,
        typer.Option("--keep-table", help="One position's findings serve the next of the file."),
    ] = False,
    memory: Annotated[
        int, typer.Option(metavar="MIB", min=1, max=1 << 16, help="Memory of the table in MiB.")
    ] = 256,
    one_based: Annotated[
        bool,
        typer.Option(
            "--one-based", help="Columns count from 1, on the standard board, as in test sets."
        ),
    ] = False,
    json: Json = False,
) -> int:
    """Tell who wins a position and in how many plies, when both sides play perfectly."""
    from engine.solver.errors import SolverError
    from ladder.cli.output import print_error, print_out
    from ladder.cli.parsing import parse_time
    from ladder.errors import UsageError
    from ladder.tools.solve import (
        SolveOptions,
        read_board,
        read_position,
        read_positions,
        solve_each,
    )
    from reports.layout.format import to_json, to_json_line
    from reports.solve import solved_document, solved_line, solved_text

    if file is not None and moves is not None:
        raise UsageError("give either MOVES or --file, not both")
    if keep_table and file is None:
        raise UsageError("--keep-table is for the positions of --file")
    specification = read_board(board)
    seconds = None if time is None else parse_time(time, "for a position") / 1000
    options = SolveOptions(weak=weak, columns=columns, nodes=nodes, seconds=seconds)
    if file is None:
        position = read_position(moves or "", specification, one_based=one_based)
        if position.is_over:
            raise SolverError(f"the game is over in {position.notation()!r}: nothing to solve")
        positions = [position]
    else:
        positions = read_positions(file, specification, one_based=one_based)
    if nodes is None and seconds is None:
        print_error(
            f"no limit was given: one processor and {memory} MiB of memory are used until a value "
            "is found, some 20 seconds on the empty 6x7 board and days or more on larger ones; "
            "Ctrl-C stops it, and --time T or --nodes N ends it with bounds"
        )
    for solved in solve_each(
        positions,
        options,
        table_mib=memory,
        keep_table=keep_table,
        on_compile=lambda: print_error("compiling the solver: some 20 seconds, once"),
    ):
        if json:
            document = solved_document(solved)
            print_out(to_json(document) if file is None else to_json_line(document))
        else:
            print_out(solved_text(solved) if file is None else solved_line(solved))
    return 0
