"""`ladder openings`: files of openings for `--openings`."""

import secrets
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from engine.opening_set import opening_set
from engine.seeds import SEED_LIMIT
from ladder.cli.help import CommandGroup
from ladder.cli.options import PliesFromZero, Seed, Work, number, whole
from ladder.cli.output import check_writable, print_error, print_out, write_output
from ladder.cli.parsing import parse_boards
from ladder.errors import ExitCode, UsageError
from ladder.match.process.cpus import allowed_cpus
from ladder.names import counted
from ladder.openings.draw import (
    DrawingProgress,
    OpeningConditions,
    WantedValue,
    draw_openings,
)
from ladder.runs.schedule import refuse_long_openings
from ladder.signals import current_stop
from reports.layout.format import to_json
from reports.outcomes import made_document, made_text, progress_lines

app = CommandGroup(help="Make opening books for the option --openings.")


class ValueWord(StrEnum):
    """The exact value of a position for the side to move."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"


@app.command("make")
def make(
    *,
    file: Path,
    boards: str = "thu",
    plies: PliesFromZero,
    count: Annotated[int, whole(1, 1_000_000)],
    value: ValueWord | None = None,
    balanced: bool = False,
    within: Annotated[float, number(0, 1, with_low=True)] = 0.1,
    nodes: Work = 2_000_000,
    seed: Seed | None = None,
    json: bool = False,
) -> int:
    """Write an opening book for --openings, drawn at random.

    No two openings lead to the same or a mirrored position, and after none of them the side to move
    can win at once. --value and --balanced keep only openings of a known value, found on all CPUs
    at idle priority. Equal options and seeds give equal files. Ctrl-C (exit code 130) writes
    nothing.

    Arguments:
      FILE: File to write, replaced if it exists.

    Options:
      --plies N: Length of each opening, in plies.
      --count K: Number of openings.
      --value: Keep only openings with this exact value for the side to move.
      --balanced: Keep only proven draws and, where the solver cannot decide, openings that the
        search of a strong player calls even.
      --within V: With --balanced: largest distance from 0 of the search's value, which lies between
        -1 and 1.
      --nodes N: Most positions that the solver searches for one opening.

    What to play:
      --seed N: Seed of all random choices: the same seed repeats them. [a random one]

    Example:
      ladder openings make even.txt --boards 6x7 --plies 12 --count 200 --balanced
    """
    if value is not None and balanced:
        raise UsageError("--value and --balanced contradict each other: give one of them")
    classes = parse_boards(boards)
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
        is_stopped = current_stop().is_requested
        found = list(draw_openings(recipe, state, is_stopped, tick, threads=allowed_cpus()))
    if current_stop().is_requested():
        print_error("stopped: nothing was written")
        return ExitCode.STOPPED
    texts = (f"{opening}\n" for opening in found)
    write_output(file, texts, "FILE", counted(len(found), "opening"))
    known = opening_set(found)
    if json:
        print_out(to_json(made_document(str(file), known, state)))
    else:
        print_out(made_text(known, state))
    return ExitCode.DONE
