"""The options that several commands share, and their reading. Imports nothing heavy."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from db.records.restart import Restart
from ladder.cli.completion import bot_lists

MOST_GAMES = 1_000_000_000
MOST_WORK = 10**12
"""Simulations or positions of a move."""
MOST_PLIES = 12 * 12
"""Cells of the largest board."""
LARGEST_SEED = (1 << 53) - 1
MOST_WORKERS = 4096
MOST_MIB = 1 << 24
MOST_SECONDS = 10**8
MOST_HOURS = 87_600
LARGEST_KEY = (1 << 63) - 1
"""Of a row of the database."""

PANEL_GAMES = "Which games"
PANEL_PLAY = "What to play"
PANEL_BUDGET = "Time or work per move"
PANEL_END = "Stopping and resuming"
PANEL_TEST = "The test"
PANEL_EXECUTION = "How to play"
PANEL_LIMITS = "Limits of each bot"
PANEL_CLUSTER = "Many machines"
PANEL_OUTPUT = "Database and output"


def number(low: float, high: float, *, with_low: bool = False) -> Callable[[object], float]:
    """Return a reader of numbers above `low`, or from it `with_low`, and up to `high`.

    Typer's own `min` lets NaN through, which is neither below nor above anything.
    """

    def read(text: object) -> float:
        try:
            value = float(str(text))
        except ValueError:
            raise typer.BadParameter(f"{text!r} is not a number") from None
        if not (low < value <= high or (with_low and value == low)):
            between = f"from {low:g} to {high:g}" if with_low else f"above {low:g} up to {high:g}"
            raise typer.BadParameter(f"{text} is not a number {between}")
        return value

    return read


def whole_number(least: int, most: int) -> Callable[[object], int]:
    """Return a reader of whole numbers from `least` to `most`.

    Typer's own `min` and `max` would put 1<=x<=1000000000 into the help.
    """

    def read(text: object) -> int:
        try:
            value = int(str(text))
        except ValueError:
            raise typer.BadParameter(f"{text!r} is not a whole number") from None
        if not least <= value <= most:
            raise typer.BadParameter(f"{text} is not a whole number from {least} to {most}")
        return value

    return read


def whole(metavar: str, most: int, help_text: str, *, least: int = 1, **settings: Any) -> Any:
    """Return an option with a whole number.

    Args:
        metavar: the number's name in the help.
        most: the largest number that is accepted.
        help_text: its line in the help.
        least: the smallest number that is accepted.
        settings: further settings of `typer.Option`.

    """
    parser = whole_number(least, most)
    return typer.Option(metavar=metavar, parser=parser, help=help_text, **settings)


def html_page(content: str) -> Any:
    """Return the option `--html` of a command that writes a page with `content`."""
    return typer.Option(
        metavar="FILE",
        help=f"Write {content} as an HTML page: one file that needs no network.",
        rich_help_panel=PANEL_OUTPUT,
    )


DEFAULT_DATABASE = "ladder.db"
Database = Annotated[
    str,
    typer.Option(
        "--db",
        envvar="LADDER_DB",
        metavar="FILE-or-URL",
        help="Database of bots and games: an SQLite file, or postgresql+psycopg://... on a server.",
        rich_help_panel=PANEL_OUTPUT,
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print one JSON document instead of text.",
        rich_help_panel=PANEL_OUTPUT,
    ),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Let --html replace a file that ladder did not write.",
        rich_help_panel=PANEL_OUTPUT,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the result to a file instead of standard output.",
        rich_help_panel=PANEL_OUTPUT,
    ),
]
Junit = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the result as JUnit XML too, for CI servers.",
        rich_help_panel=PANEL_OUTPUT,
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Only games that began since a date (2026-11-20), a time (2026-11-20T18:00), or "
        "within the last minutes, hours or days (30m, 12h, 2d).",
        rich_help_panel=PANEL_GAMES,
    ),
]
Boards = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help="Boards, separated by commas: thu (9 to 12 rows and columns and one forbidden cell, "
        "drawn for each pair), standard (6x7), or ROWSxCOLUMNS such as 10x11@3,4, whose cell in "
        "row 3 and column 4, counted from 0 at the bottom left, is forbidden.",
        rich_help_panel=PANEL_PLAY,
    ),
]
Board = Annotated[
    str,
    typer.Option(
        metavar="BOARD",
        help="Board: standard (6x7), or ROWSxCOLUMNS such as 10x11@3,4, whose cell in row 3 and "
        "column 4, counted from 0 at the bottom left, is forbidden.",
    ),
]
BotList = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Only these bots: names or patterns, separated by commas, such as v1,v2 or 'v*'.",
        autocompletion=bot_lists,
        rich_help_panel=PANEL_GAMES,
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        metavar="100ms|2s",
        help="Wall time per move. NAME=TIME gives one bot another time: v17=200ms,100ms gives v17 "
        "200 ms and all others 100 ms.",
        show_default="100ms, unless one of the next three is given",
        rich_help_panel=PANEL_BUDGET,
    ),
]
Simulations = Annotated[
    int | None,
    whole(
        "N",
        MOST_WORK,
        "Simulations per move instead of time. With several kinds of work, each bot is given the "
        "first that it knows.",
        rich_help_panel=PANEL_BUDGET,
    ),
]
Nodes = Annotated[
    int | None,
    whole(
        "N",
        MOST_WORK,
        "Positions searched per move instead of time, for alpha-beta bots.",
        rich_help_panel=PANEL_BUDGET,
    ),
]
Depth = Annotated[
    int | None,
    whole(
        "N",
        MOST_PLIES,
        "Search depth in plies instead of time, for alpha-beta bots.",
        rich_help_panel=PANEL_BUDGET,
    ),
]
Margin = Annotated[
    str,
    typer.Option(
        metavar="50ms",
        help="How late a move may be under --time before it loses the game.",
        rich_help_panel=PANEL_BUDGET,
    ),
]
Watchdog = Annotated[
    float,
    typer.Option(
        metavar="S",
        parser=number(0, 86400),
        help="Longest time for a move without --time, in seconds; a slower one loses the game.",
        rich_help_panel=PANEL_BUDGET,
    ),
]
OpeningPlies = Annotated[
    int | None,
    whole(
        "K",
        MOST_PLIES,
        "Random plies at the start of each game, before the bots move.",
        least=0,
        show_default="0 on thu, 4 on other boards",
        rich_help_panel=PANEL_PLAY,
    ),
]
Openings = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Opening book instead of random plies: one 'BOARD MOVES' per line, such as "
        "'6x7 3342'. The hash of a book that the database has stored is accepted, too.",
        rich_help_panel=PANEL_PLAY,
    ),
]
Seed = Annotated[
    int | None,
    whole(
        "N",
        LARGEST_SEED,
        "Seed of all random choices: the same seed repeats them.",
        least=0,
        show_default="a random one",
        rich_help_panel=PANEL_PLAY,
    ),
]


def at_once(what: str) -> Any:
    """Return the option `--concurrency` of a command that does several of `what` at once."""
    return whole(
        "N",
        MOST_WORKERS,
        f"{what} at the same time.",
        show_default="the CPUs that this process may use",
        rich_help_panel=PANEL_EXECUTION,
    )


Concurrency = Annotated[int | None, at_once("Pairs of games to play")]
RestartOption = Annotated[
    Restart | None,
    typer.Option(
        help="When to restart bot processes: after each game, after each pair, or never.",
        show_default="as registered with each bot",
        rich_help_panel=PANEL_EXECUTION,
    ),
]
Pin = Annotated[
    bool,
    typer.Option(
        "--pin/--no-pin",
        help="Keep each pair on a CPU that no other worker uses, if one is free.",
        rich_help_panel=PANEL_EXECUTION,
    ),
]
Note = Annotated[
    str,
    typer.Option(
        metavar="TEXT",
        help="Remark to store with the run; `ladder runs` shows it.",
        rich_help_panel=PANEL_OUTPUT,
    ),
]

MaxDrop = Annotated[
    float,
    typer.Option(metavar="ELO", help="Largest acceptable Elo loss.", rich_help_panel=PANEL_TEST),
]
Alpha = Annotated[
    float,
    typer.Option(
        metavar="A",
        help="Probability of passing a bot that is worse by --max-drop.",
        rich_help_panel=PANEL_TEST,
    ),
]
Beta = Annotated[
    float,
    typer.Option(
        metavar="B",
        help="Probability of failing a bot that is as good as its baseline.",
        rich_help_panel=PANEL_TEST,
    ),
]
EloModel = Annotated[
    Literal["normalized", "logistic"],
    typer.Option(
        help="Scale of --max-drop: normalized Elo, or the logistic Elo of the rating list.",
        rich_help_panel=PANEL_TEST,
    ),
]
Confidence = Annotated[
    float,
    typer.Option(
        metavar="P", help="Probability that the answer is right.", rich_help_panel=PANEL_TEST
    ),
]
MaxGames = Annotated[
    int,
    whole(
        "N",
        MOST_GAMES,
        "Stop after N games; without a decision by then the exit code is 4.",
        least=2,
        rich_help_panel=PANEL_TEST,
    ),
]
Rated = Annotated[
    bool,
    typer.Option(
        "--rated", help="Let the games count in the rating list.", rich_help_panel=PANEL_PLAY
    ),
]
Python = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="Interpreter of a python: or kaggle: bot.",
        show_default="python3 on PATH",
    ),
]

Memory = Annotated[
    int,
    whole(
        "MIB",
        MOST_MIB,
        "Resident memory of a bot and its child processes, in MiB; more loses the game.",
        rich_help_panel=PANEL_LIMITS,
    ),
]
OpenFiles = Annotated[
    int,
    whole(
        "N",
        1 << 20,
        "Open files of each process of a bot; opening more of them fails.",
        rich_help_panel=PANEL_LIMITS,
    ),
]
Processes = Annotated[
    int,
    whole(
        "N",
        1 << 22,
        "Processes of a bot at the same time; more lose the game.",
        rich_help_panel=PANEL_LIMITS,
    ),
]
Scratch = Annotated[
    int,
    whole(
        "MIB",
        MOST_MIB,
        "Disk space in a bot's scratch folder, in MiB; more loses the game.",
        rich_help_panel=PANEL_LIMITS,
    ),
]
CpuTime = Annotated[
    int | None,
    whole(
        "S",
        MOST_SECONDS,
        "CPU time of a bot and its child processes per game, in seconds; more loses the game.",
        show_default="in runs, twice what the clock allows in the longest game",
        rich_help_panel=PANEL_LIMITS,
    ),
]
LogSize = Annotated[
    int,
    whole(
        "MIB",
        MOST_MIB,
        "Disk space for the stderr output of all bots, in MiB; the oldest output is deleted first, "
        "and 0 stores none.",
        least=0,
        rich_help_panel=PANEL_LIMITS,
    ),
]
Sandbox = Annotated[
    str | None,
    typer.Option(
        metavar="PREFIX",
        help="Command that starts every bot that is not built in, such as 'bwrap ...'; {scratch} "
        "and {folder} in it stand for the bot's folders, and 'none' means no sandbox.",
        rich_help_panel=PANEL_LIMITS,
    ),
]

ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="HOST:PORT",
        help="Play on the machines of this Dask scheduler instead of this machine.",
        rich_help_panel=PANEL_CLUSTER,
    ),
]
ScaleTime = Annotated[
    bool,
    typer.Option(
        "--scale-time",
        help="Take --time as that of this machine: slower machines of the cluster get more time "
        "per move, faster ones less.",
        rich_help_panel=PANEL_CLUSTER,
    ),
]
Certificates = Annotated[
    str | None,
    typer.Option(
        "--certificates",
        envvar="LADDER_CERTIFICATES",
        metavar="FOLDER",
        help="Folder made by `ladder cluster certificates`: connections use TLS with these.",
        rich_help_panel=PANEL_CLUSTER,
    ),
]
Insecure = Annotated[
    bool,
    typer.Option(
        "--insecure",
        help="Connect to other machines without TLS: anyone who reaches the scheduler can then run "
        "programs on all of them.",
        rich_help_panel=PANEL_CLUSTER,
    ),
]
