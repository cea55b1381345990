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


def option(
    metavar: str | None, help_text: str, panel: str | None = None, *names: str, **settings: Any
) -> Any:
    """Return an option with a value.

    Args:
        metavar: the value's name in the help; None for the words of an enumeration.
        help_text: its text in the help.
        panel: its heading in the help.
        names: its spellings, if they are not made from the parameter's name.
        settings: further settings of `typer.Option`.

    """
    return typer.Option(*names, metavar=metavar, help=help_text, rich_help_panel=panel, **settings)


def argument(metavar: str, help_text: str, **settings: Any) -> Any:
    """Return an argument with its name and its text in the help."""
    return typer.Argument(metavar=metavar, help=help_text, **settings)


def flag(name: str, help_text: str, panel: str | None = None) -> Any:
    """Return an option without a value."""
    return typer.Option(name, help=help_text, rich_help_panel=panel)


def whole(
    metavar: str,
    most: int,
    help_text: str,
    panel: str | None = None,
    *,
    least: int = 1,
    **settings: Any,
) -> Any:
    """Return an option with a whole number from `least` to `most`."""
    return option(metavar, help_text, panel, parser=whole_number(least, most), **settings)


def html_page(content: str) -> Any:
    """Return the option `--html` of a command that writes a page with `content`."""
    text = f"Write {content} as an HTML page: one file that needs no network."
    return option("FILE", text, PANEL_OUTPUT)


DEFAULT_DATABASE = "ladder.db"
Database = Annotated[
    str,
    option(
        "FILE-or-URL",
        "Database of bots and games: an SQLite file, or postgresql+psycopg://... on a server.",
        PANEL_OUTPUT,
        "--db",
        envvar="LADDER_DB",
    ),
]
Json = Annotated[bool, flag("--json", "Print one JSON document instead of text.", PANEL_OUTPUT)]
Verbose = Annotated[bool, flag("--verbose", "Print the numbers of the test, too.", PANEL_OUTPUT)]
Force = Annotated[
    bool, flag("--force", "Let --html replace a file that ladder did not write.", PANEL_OUTPUT)
]
Output = Annotated[
    Path | None,
    option(
        "FILE",
        "Write the result to a file instead of standard output.",
        PANEL_OUTPUT,
        "-o",
        "--output",
    ),
]
Junit = Annotated[
    Path | None, option("FILE", "Write the result as JUnit XML too, for CI servers.", PANEL_OUTPUT)
]
Since = Annotated[
    str | None,
    option(
        "TIME",
        "Only games that began since a date (2026-11-20), a time (2026-11-20T18:00), or "
        "within the last minutes, hours or days (30m, 12h, 2d).",
        PANEL_GAMES,
    ),
]
Boards = Annotated[
    str,
    option(
        "LIST",
        "Boards, separated by commas: thu (9 to 12 rows and columns and one forbidden cell, "
        "drawn for each pair), standard (6x7), or ROWSxCOLUMNS such as 10x11@3,4, whose cell in "
        "row 3 and column 4, counted from 0 at the bottom left, is forbidden.",
        PANEL_PLAY,
    ),
]
Board = Annotated[
    str,
    option(
        "BOARD",
        "Board: standard (6x7), or ROWSxCOLUMNS such as 10x11@3,4, whose cell in row 3 and "
        "column 4, counted from 0 at the bottom left, is forbidden.",
    ),
]
BotList = Annotated[
    str | None,
    option(
        "LIST",
        "Only these bots: names or patterns, separated by commas, such as v1,v2 or 'v*'.",
        PANEL_GAMES,
        autocompletion=bot_lists,
    ),
]
Time = Annotated[
    str | None,
    option(
        "100ms|2s",
        "Wall time per move. NAME=TIME gives one bot another time: v17=200ms,100ms gives v17 "
        "200 ms and all others 100 ms.",
        PANEL_BUDGET,
        show_default="100ms, without --simulations, --nodes and --depth",
    ),
]
Simulations = Annotated[
    int | None,
    whole(
        "N",
        MOST_WORK,
        "Simulations per move instead of time. With several kinds of work, each bot is given the "
        "first that it knows.",
        PANEL_BUDGET,
    ),
]
Nodes = Annotated[
    int | None,
    whole(
        "N",
        MOST_WORK,
        "Positions searched per move instead of time, for alpha-beta bots.",
        PANEL_BUDGET,
    ),
]
Depth = Annotated[
    int | None,
    whole(
        "N", MOST_PLIES, "Search depth in plies instead of time, for alpha-beta bots.", PANEL_BUDGET
    ),
]
Clock = Annotated[
    str | None,
    option(
        "10s+100ms",
        "Time for all moves of a game, and what each move adds to it, instead of a time per move. "
        "Odds as for --time: v17=20s+100ms,10s+100ms.",
        PANEL_BUDGET,
    ),
]
Overage = Annotated[
    str | None,
    option(
        "60s",
        "With --time: time of a game for moves that take longer than that, as on Kaggle. Odds as "
        "for --time.",
        PANEL_BUDGET,
    ),
]
Margin = Annotated[
    str,
    option(
        "50ms",
        "How late a move may be under --time or --clock before it loses the game.",
        PANEL_BUDGET,
    ),
]
Watchdog = Annotated[
    float,
    option(
        "S",
        "Longest time of a move under a work budget, in seconds; a slower one loses the game.",
        PANEL_BUDGET,
        parser=number(0, 86400),
    ),
]
OpeningPlies = Annotated[
    int | None,
    whole(
        "K",
        MOST_PLIES,
        "Random plies at the start of each game, before the bots move.",
        PANEL_PLAY,
        least=0,
        show_default="0 on thu, 4 on other boards",
    ),
]
Openings = Annotated[
    str | None,
    option(
        "FILE|balanced",
        "Opening book instead of random plies: one 'BOARD MOVES' per line, such as "
        "'6x7 3342'. The hash of a book that the database has stored is accepted, too. "
        "'balanced': shipped openings of eight plies that favour neither side, for the boards "
        "thu and standard.",
        PANEL_PLAY,
    ),
]
DEFAULT_ADJUDICATION = 12
"""Plies of ``--adjudicate`` without a number, chosen in `docs/results/adjudication.md`: players
from v4 on convert all games that are decided so near their end."""
LEFT_OUT = {"--adjudicate": str(DEFAULT_ADJUDICATION)}
"""The values of options that may stand without one, where no whole number follows."""


def adjudication_plies(text: object) -> int:
    """Return the plies of ``--adjudicate``; in `ladder.toml` they may also be a boolean."""
    if isinstance(text, bool):
        return DEFAULT_ADJUDICATION if text else 0
    return whole_number(0, MOST_PLIES)(text)


Adjudicate = Annotated[
    int | None,
    option(
        "[PLIES]",
        "End a game once the exact solver proves that best play ends it within PLIES plies "
        f"({DEFAULT_ADJUDICATION} without a number), or that nobody can avoid a draw; 0 plays "
        "games out.",
        PANEL_PLAY,
        parser=adjudication_plies,
        show_default="games are played out",
    ),
]


def _seed(text: str) -> object:
    return whole("N", LARGEST_SEED, text, PANEL_PLAY, least=0, show_default="a random one")


Seed = Annotated[int | None, _seed("Seed of all random choices: the same seed repeats them.")]
RunSeed = Annotated[
    int | None,
    _seed(
        "Seed of all random choices. With the same seed, a new database gets the same pairs; in "
        "one that has them, a match or gate shows its result, and other commands play the next "
        "pairs."
    ),
]
New = Annotated[
    bool,
    flag(
        "--new",
        "Play fresh pairs, instead of resuming an interrupted command or, with --seed, showing its "
        "stored result.",
        PANEL_END,
    ),
]


def at_once(what: str) -> Any:
    """Return the option `--concurrency` of a command that does several of `what` at once."""
    return whole(
        "N",
        MOST_WORKERS,
        f"{what} at the same time.",
        PANEL_EXECUTION,
        show_default="the CPUs that this process may use",
    )


Concurrency = Annotated[int | None, at_once("Pairs of games to play")]
RestartOption = Annotated[
    Restart | None,
    option(
        None,
        "When to restart bot processes: after each game, after each pair, or never.",
        PANEL_EXECUTION,
        show_default="as registered with each bot",
    ),
]
Pin = Annotated[
    bool,
    flag(
        "--pin/--no-pin",
        "Keep each pair on a CPU that no other worker uses, if one is free.",
        PANEL_EXECUTION,
    ),
]
Note = Annotated[
    str, option("TEXT", "Remark to store with the run; `ladder runs` shows it.", PANEL_OUTPUT)
]

MaxDrop = Annotated[float, option("ELO", "Largest acceptable Elo loss.", PANEL_TEST)]
Alpha = Annotated[
    float,
    option(
        "A",
        "Probability of passing a bot that is worse by --max-drop, or no better if a gain is "
        "wanted.",
        PANEL_TEST,
    ),
]
Beta = Annotated[
    float,
    option(
        "B",
        "Probability of failing a bot that is as good as its baseline, or better by the gain that "
        "is wanted.",
        PANEL_TEST,
    ),
]
EloModel = Annotated[
    Literal["normalized", "logistic"],
    option(
        None,
        "Scale of drops and gains: normalized Elo, or the logistic Elo of the rating list.",
        PANEL_TEST,
    ),
]
Confidence = Annotated[float, option("P", "Probability that the answer is right.", PANEL_TEST)]
MaxGames = Annotated[
    int,
    whole(
        "N",
        MOST_GAMES,
        "Stop after N games; without a decision by then the exit code is 4.",
        PANEL_TEST,
        least=2,
    ),
]
Rated = Annotated[bool, flag("--rated", "Let the games count in the rating list.", PANEL_PLAY)]
BasedOn = Annotated[
    str | None,
    option(
        "OTHER",
        "Bot that a bot given by its specification is based on.",
        PANEL_PLAY,
        show_default="the newest version from the same files",
    ),
]
Python = Annotated[
    str | None,
    option("PATH", "Interpreter of a python: or kaggle: bot.", show_default="python3 on PATH"),
]

Memory = Annotated[
    int,
    whole(
        "MIB",
        MOST_MIB,
        "Resident memory of a bot and its child processes, in MiB; more loses the game.",
        PANEL_LIMITS,
    ),
]
OpenFiles = Annotated[
    int,
    whole(
        "N",
        1 << 20,
        "Open files of each process of a bot; opening more of them fails.",
        PANEL_LIMITS,
    ),
]
Processes = Annotated[
    int,
    whole("N", 1 << 22, "Processes of a bot at the same time; more lose the game.", PANEL_LIMITS),
]
Sandbox = Annotated[
    str | None,
    option(
        "standard|PREFIX",
        "Sandbox of every bot that is not built in. 'standard': bubblewrap, without network and "
        "home. A command such as 'bwrap ...', in which {scratch} and {folder} stand for the bot's "
        "folders; or 'none'.",
        PANEL_LIMITS,
    ),
]

ClusterAddress = Annotated[
    str | None,
    option(
        "HOST:PORT",
        "Play on the machines of this Dask scheduler instead of this machine.",
        PANEL_CLUSTER,
        "--cluster",
    ),
]
TlsCaFile = Annotated[
    str | None,
    option(
        "FILE",
        "Certificate of the authority of a cluster's TLS; without it the configuration of Dask.",
        PANEL_CLUSTER,
        "--tls-ca-file",
    ),
]
TlsCert = Annotated[
    str | None,
    option("FILE", "Certificate of this machine for TLS.", PANEL_CLUSTER, "--tls-cert"),
]
TlsKey = Annotated[
    str | None, option("FILE", "Key of the certificate.", PANEL_CLUSTER, "--tls-key")
]
