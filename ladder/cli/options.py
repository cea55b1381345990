"""The options that several commands share, and their reading. Imports nothing heavy."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, Literal

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


def amount(
    metavar: str, most: int, help_text: str, *, least: int = 1, panel: str | None = None
) -> Any:
    """An option with a whole number.

    Args:
        metavar: its unit in the help.
        most: the largest number that is taken.
        help_text: its line in the help.
        least: the smallest number that is taken.
        panel: the heading under which the help lists it; None: the first one.

    """
    return typer.Option(metavar=metavar, min=least, max=most, help=help_text, rich_help_panel=panel)


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
        help="An SQLite file, or postgresql+psycopg://...: docs/many-machines.md.",
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
    str | None,
    typer.Option(
        metavar="100ms|2s",
        help="Wall time per move; v17=200ms,100ms gives one bot another time. [default: 100ms]",
    ),
]
Simulations = Annotated[
    int | None,
    amount("N", MOST_WORK, "Simulations per move instead of time."),
]
Nodes = Annotated[
    int | None,
    amount("N", MOST_WORK, "Positions per move for alpha-beta players."),
]
Depth = Annotated[
    int | None,
    amount("N", MOST_PLIES, "Plies that alpha-beta looks ahead."),
]
OpeningPlies = Annotated[
    int | None,
    amount(
        "K",
        MOST_PLIES,
        "Random plies before the bots play. [default: 0 on thu, 4 on a fixed board]",
        least=0,
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
    amount("N", MOST_WORKERS, "Pairs at the same time. [default: the CPUs allowed]"),
]
Seed = Annotated[
    int | None,
    amount("N", LARGEST_SEED, "Same seed, same pairs. [default: drawn, printed]", least=0),
]
Note = Annotated[str, typer.Option(metavar="TEXT", help="What it is for: `ladder runs` shows it.")]
Games = Annotated[int | None, amount("N", MOST_GAMES, "Stop after N games.")]
MaxDrop = Annotated[float, typer.Option(metavar="ELO", help="Largest acceptable Elo loss.")]
Alpha = Annotated[
    float, typer.Option(metavar="A", help="Chance to pass a bot that is worse by --max-drop.")
]
Beta = Annotated[float, typer.Option(metavar="B", help="Chance to fail an equal bot.")]
EloModel = Annotated[
    Literal["normalized", "logistic"], typer.Option(help="The Elo in which --max-drop is given.")
]
Confidence = Annotated[
    float, typer.Option(metavar="P", help="Chance that the whole answer is right.")
]
MaxGames = Annotated[
    int, amount("N", MOST_GAMES, "Stop after N games without a decision.", least=2)
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
    amount("MIB", MOST_MIB, "Resident memory together.", panel=PANEL_LIMITS),
]
OpenFiles = Annotated[
    int,
    amount("N", 1 << 20, "Open files of each process.", panel=PANEL_LIMITS),
]
Processes = Annotated[
    int,
    amount("N", 1 << 22, "Processes at a time.", panel=PANEL_LIMITS),
]
Scratch = Annotated[
    int,
    amount("MIB", MOST_MIB, "Disk in its scratch folder.", panel=PANEL_LIMITS),
]
CpuTime = Annotated[
    int | None,
    amount(
        "S",
        MOST_SECONDS,
        "Seconds of CPU time in a game. [default in runs: twice what the clock leaves it]",
        panel=PANEL_LIMITS,
    ),
]
LogSize = Annotated[
    int,
    amount(
        "MIB",
        MOST_MIB,
        "Disk for what all bots write to stderr; the oldest goes first, 0 keeps nothing.",
        least=0,
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

PANEL_CLUSTER = "Many machines"
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on the machines of this Dask scheduler instead: HOST:PORT.",
        rich_help_panel=PANEL_CLUSTER,
    ),
]
ScaleTime = Annotated[
    bool,
    typer.Option(
        "--scale-time",
        help="With --cluster: --time is meant for this machine, slower ones get more of it.",
        rich_help_panel=PANEL_CLUSTER,
    ),
]
Certificates = Annotated[
    str | None,
    typer.Option(
        "--certificates",
        envvar="LADDER_CERTIFICATES",
        metavar="FOLDER",
        help="The set that `ladder cluster certificates` made: connections use TLS.",
        rich_help_panel=PANEL_CLUSTER,
    ),
]
Insecure = Annotated[
    bool,
    typer.Option(
        "--insecure",
        help="Connect other machines without TLS: whoever reaches them runs programs there.",
        rich_help_panel=PANEL_CLUSTER,
    ),
]
