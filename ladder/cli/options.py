"""The options that several commands share, and their reading. Imports nothing heavy."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import typer

from db.records.restart import Restart

MOST_GAMES = 1_000_000_000
MOST_WORK = 10**12
"""Simulations or positions of a move."""
MOST_PLIES = 12 * 12
"""Cells of the largest board."""
LARGEST_SEED = (1 << 53) - 1
MOST_WORKERS = 4096
MOST_MIB = 1 << 24
MOST_SECONDS = 10**8
LARGEST_KEY = (1 << 63) - 1
"""Of a row of the database."""


def number(low: float, high: float) -> Callable[[object], float]:
    """A reader of numbers from above `low` to `high`; infinity and NaN are none.

    Typer's own `min` lets NaN through, which is neither below nor above anything.
    """

    def read(text: object) -> float:
        try:
            value = float(str(text))
        except ValueError:
            raise typer.BadParameter(f"{text!r} is not a number") from None
        if not low < value <= high:
            raise typer.BadParameter(f"{text} is not a number above {low:g} and up to {high:g}")
        return value

    return read


PANEL_CONDITIONS = "Conditions of play"


class Format(StrEnum):
    """The format of a report."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


Database = Annotated[
    str,
    typer.Option(
        "--db",
        envvar="LADDER_DB",
        metavar="FILE-or-URL",
        help="An SQLite file, or postgresql+psycopg://... to read from; runs need a file.",
    ),
]
DEFAULT_DATABASE = "ladder.db"

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]

Boards = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help="thu, standard, or sizes as ROWSxCOLUMNS with an optional forbidden cell: "
        "6x7,10x11@3,4. Always rows first: the standard board is 6x7.",
    ),
]
Time = Annotated[
    str | None, typer.Option(metavar="100ms|2s", help="Wall time per move. [default: 100ms]")
]
Simulations = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, max=MOST_WORK, help="Simulations per move instead of time."),
]
Nodes = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, max=MOST_WORK, help="Positions per move for alpha-beta players."
    ),
]
Depth = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, max=MOST_PLIES, help="Plies that alpha-beta looks ahead."),
]
OpeningPlies = Annotated[
    int | None,
    typer.Option(
        metavar="K",
        min=0,
        max=MOST_PLIES,
        help="Random plies before the bots play. [default: 0 on thu, 4 on a fixed board]",
    ),
]
Openings = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Openings to take turns instead of random ones: a board and its moves a line. When "
        "the file is gone, those that a run has stored from it, also by their hash.",
    ),
]
Concurrency = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=MOST_WORKERS,
        help="Pairs at the same time. [default: the CPUs allowed]",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        max=LARGEST_SEED,
        help="Same seed, same pairs. [default: drawn, printed]",
    ),
]
Note = Annotated[str, typer.Option(metavar="TEXT", help="What it is for: `ladder runs` shows it.")]
Games = Annotated[
    int | None, typer.Option(metavar="N", min=1, max=MOST_GAMES, help="Stop after N games.")
]
Margin = Annotated[str, typer.Option(metavar="50ms", help="How late a move may be under --time.")]
Pin = Annotated[
    bool,
    typer.Option("--pin/--no-pin", help="Keep each pair on one CPU, where one is free."),
]
Watchdog = Annotated[
    float,
    typer.Option(
        metavar="S", parser=number(0, 86400), help="Seconds a move may take under a work budget."
    ),
]

PANEL_LIMITS = "What each bot and all that it starts may use"
Memory = Annotated[
    int,
    typer.Option(
        metavar="MIB",
        min=1,
        max=MOST_MIB,
        help="Resident memory together.",
        rich_help_panel=PANEL_LIMITS,
    ),
]
OpenFiles = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=1,
        max=1 << 20,
        help="Open files of each process.",
        rich_help_panel=PANEL_LIMITS,
    ),
]
Processes = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=1,
        max=1 << 22,
        help="Processes at a time.",
        rich_help_panel=PANEL_LIMITS,
    ),
]
Scratch = Annotated[
    int,
    typer.Option(
        metavar="MIB",
        min=1,
        max=MOST_MIB,
        help="Disk in its scratch folder.",
        rich_help_panel=PANEL_LIMITS,
    ),
]
CpuTime = Annotated[
    int | None,
    typer.Option(
        metavar="S",
        min=1,
        max=MOST_SECONDS,
        help="Seconds of CPU time in a game. [default: twice what the clock leaves it]",
        rich_help_panel=PANEL_LIMITS,
    ),
]
LogSize = Annotated[
    int,
    typer.Option(
        metavar="MIB",
        min=0,
        max=MOST_MIB,
        help="Disk for what all bots write to stderr; the oldest goes first, 0 keeps nothing.",
    ),
]
Sandbox = Annotated[
    str | None,
    typer.Option(
        metavar="PREFIX",
        help="Words before the command of every bot that is not built in, such as 'bwrap ...'; "
        "{scratch} and {folder} stand for its folders; 'none' for no sandbox.",
        rich_help_panel=PANEL_LIMITS,
    ),
]


RestartOption = Annotated[
    Restart | None,
    typer.Option(help="Renew bot processes so often. [default: as registered]"),
]
