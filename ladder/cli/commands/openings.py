"""`ladder openings`: files of openings for `--openings`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.help import HelpGroup
from ladder.cli.options import MOST_PLIES, MOST_WORK, Boards, Json, Seed

app = typer.Typer(
    cls=HelpGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Make files of openings for --openings.",
)


class ValueWord(StrEnum):
    """Values for the side to move."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"


@app.callback()
def openings() -> None:
    """Make files of openings for --openings."""


@app.command("make")
def make(
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Is written, or replaced.")],
    boards: Boards = "thu",
    plies: Annotated[
        int, typer.Option(metavar="N", min=0, max=MOST_PLIES, help="Of each opening.")
    ],
    count: Annotated[int, typer.Option(metavar="K", min=1, max=1_000_000, help="How many.")],
    value: Annotated[
        ValueWord | None,
        typer.Option(help="Keep those that the solver proves to be worth it for the side to move."),
    ] = None,
    balanced: Annotated[
        bool,
        typer.Option(
            "--balanced",
            help="Keep proven draws, and where the solver cannot decide what a strong player's "
            "search calls even.",
        ),
    ] = False,
    within: Annotated[
        float,
        typer.Option(min=0, max=1, metavar="V", help="How even: its value is at most V from 0."),
    ] = 0.1,
    nodes: Annotated[
        int,
        typer.Option(metavar="N", min=1, max=MOST_WORK, help="Of the solver for one position."),
    ] = 2_000_000,
    seed: Seed = None,
    json: Json = False,
) -> int:
    """Draw openings at random, no two with equal or mirrored positions.

    Without --value and --balanced any position is kept in which nobody can win at once. Equal
    options and seeds give equal files. Ctrl-C ends it, and nothing is written.
    """
    import secrets

    from engine.opening_set import opening_set
    from engine.seeds import SEED_LIMIT
    from ladder.checked_stream import write_file
    from ladder.cli.output import check_writable, print_error, print_out
    from ladder.cli.parsing import boards_of
    from ladder.errors import ExitCode, UsageError
    from ladder.match.openings.draw import (
        DrawingProgress,
        OpeningConditions,
        WantedValue,
        draw_openings,
        format_openings,
    )
    from ladder.runs.schedule import refuse_long_openings
    from ladder.signals import current_stop
    from reports.layout.format import to_json
    from reports.openings import made_document, made_text, progress_lines

    if value is not None and balanced:
        raise UsageError("--value and --balanced contradict each other: give one of them")
    classes = boards_of(boards)
    refuse_long_openings(plies, classes, "plies")
    check_writable(file, "FILE")
    recipe = OpeningConditions(
        boards=classes,
        plies=plies,
        count=count,
        wanted=WantedValue.BALANCED
        if balanced
        else WantedValue(value.value)
        if value
        else WantedValue.ANY,
        seed=secrets.randbelow(SEED_LIMIT) if seed is None else seed,
        nodes=nodes,
        within=within,
    )
    if seed is None:
        print_error(f"seed {recipe.seed}")
    state, tick = DrawingProgress(count), progress_lines(print_error)
    with current_stop().defer():
        found = list(draw_openings(recipe, state, current_stop().is_requested, tick))
    if current_stop().is_requested():
        print_error("stopped: nothing was written")
        return ExitCode.STOPPED
    write_file(file, format_openings(found), "FILE")
    known = opening_set(found)
    if json:
        print_out(to_json(made_document(str(file), known, state)))
    else:
        print_out(made_text(str(file), known, state))
    return ExitCode.DONE
