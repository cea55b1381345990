"""The options that several commands share, and their reading. Imports nothing heavy."""

from enum import StrEnum
from typing import Annotated

import typer

from db.records.restart import Restart

PANEL_CONDITIONS = "Conditions of play"
PANEL_RUN = "How it runs"
PANEL_OUTPUT = "Output"


class Format(StrEnum):
    """What a report is written as."""

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
    int | None, typer.Option(metavar="N", help="Simulations per move instead of time.")
]
Nodes = Annotated[
    int | None, typer.Option(metavar="N", help="Positions per move for alpha-beta players.")
]
Depth = Annotated[int | None, typer.Option(metavar="N", help="Plies that alpha-beta looks ahead.")]
OpeningPlies = Annotated[
    int | None,
    typer.Option(
        metavar="K",
        help="Random plies before the bots play. [default: 0 on thu, 4 on a fixed board]",
    ),
]
Concurrency = Annotated[
    int | None,
    typer.Option(metavar="N", help="Pairs at the same time. [default: the CPUs allowed]"),
]
Seed = Annotated[
    int | None, typer.Option(metavar="N", help="Same seed, same pairs. [default: drawn, printed]")
]
Note = Annotated[str, typer.Option(metavar="TEXT", help="What it is for: `ladder runs` shows it.")]
Games = Annotated[int | None, typer.Option(metavar="N", help="Stop after N games.")]
Margin = Annotated[str, typer.Option(metavar="50ms", help="How late a move may be under --time.")]
Pin = Annotated[
    bool,
    typer.Option("--pin/--no-pin", help="Keep each pair on one CPU, where one is free."),
]
Watchdog = Annotated[
    float,
    typer.Option(metavar="S", help="Seconds a move may take under a work budget."),
]

PANEL_LIMITS = "What each bot and all that it starts may use"
Memory = Annotated[
    int,
    typer.Option(metavar="MIB", help="Resident memory together.", rich_help_panel=PANEL_LIMITS),
]
OpenFiles = Annotated[
    int,
    typer.Option(metavar="N", help="Open files of each process.", rich_help_panel=PANEL_LIMITS),
]
Processes = Annotated[
    int, typer.Option(metavar="N", help="Processes at a time.", rich_help_panel=PANEL_LIMITS)
]
Scratch = Annotated[
    int,
    typer.Option(metavar="MIB", help="Disk in its scratch folder.", rich_help_panel=PANEL_LIMITS),
]
CpuTime = Annotated[
    int | None,
    typer.Option(
        metavar="S",
        help="Seconds of CPU time in a game. [default: twice what the clock leaves it]",
        rich_help_panel=PANEL_LIMITS,
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
