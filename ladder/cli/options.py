r"""The options that several commands share: their help, and the values that they take.

Which games:
  --since TIME: Only games that began since a date (2026-11-20), a time (2026-11-20T18:00), or
    within the last minutes, hours or days (30m, 12h, 2d).
  --bots LIST: Only these bots: names or patterns, separated by commas, such as v1,v2 or 'v*'.

What to play:
  --boards LIST: Boards, separated by commas: {board sets}, standard (6x7), or ROWSxCOLUMNS such as
    10x11@3,4, whose cell in row 3 and column 4, counted from 0 at the bottom left, is forbidden.
    [thu, or standard if a bot that is named plays no forbidden cell]
  --opening-plies K: Random plies at the start of each game, before the bots move. [0 on
    {large board sets}, 4 on other boards]
  --openings FILE|balanced: Opening book instead of random plies: one 'BOARD MOVES' per line, such
    as '6x7 3342'. The hash of a book that the database has stored is accepted, too. 'balanced':
    shipped openings of eight plies that favour neither side, for the boards thu and standard.
  --adjudicate [PLIES]: End a game once the exact solver proves that best play ends it within PLIES
    plies (12 without a number), or that neither side can avoid a draw; 0 plays games out. [games
    are played out]
  --seed N: Seed of all random choices. With the same seed, a new database gets the same pairs; in
    one that has them, a match or gate shows its result, and other commands play the next pairs.
    [that of the last run of the same command, else a random one]
  --based-on OTHER: Bot that a bot given by its specification is based on. [the newest version from
    the same files]
  --new-version: Store the files of a specification as a new version even if only files changed that
    the bot does not use.
  --rated: Let the games count in the rating list.

Time or work per move:
  --time 100ms|2s: Wall time per move. NAME=TIME gives one bot another time: v17=200ms,100ms gives
    v17 200 ms and all others 100 ms. [100ms, without --simulations, --nodes and --depth]
  --simulations N: Simulations per move instead of time. With several kinds of work, each bot is
    given the first that it knows.
  --nodes N: Positions searched per move instead of time, for alpha-beta bots.
  --depth N: Search depth in plies instead of time, for alpha-beta bots.
  --margin 50ms: How late a move may be under --time or --clock before it loses the game.
  --overage 60s: With --time: time of a game for moves that take longer than that, as on Kaggle.
    Odds as for --time.
  --clock 10s+100ms: Time for all moves of a game, and what each move adds to it, instead of a time
    per move. Odds as for --time: v17=20s+100ms,10s+100ms.
  --watchdog S: Longest time of a move under a work budget, in seconds; a slower one loses the game.

Stopping and resuming:
  --new: Play fresh pairs, instead of resuming an interrupted command or, with --seed, showing its
    stored result.

The test:
  --max-games N: Stop after N games; without a decision by then the exit code is 4.
  --model: Scale of drops and gains: normalized Elo, or the logistic Elo of the rating list.
  --alpha A: Probability of passing a bot that is worse by --max-drop, or no better if a gain is
    wanted.
  --beta B: Probability of failing a bot that is as good as its baseline, or better by the gain that
    is wanted.
  --confidence P: Probability that the answer is right.

How to play:
  --concurrency N: Pairs of games to play at the same time. [the CPUs that this process may use]
  --restart: When to restart bot processes: after each game, after each pair, or never. [as
    registered with each bot]
  --pin/--no-pin: Keep each pair on a CPU that no other worker uses, if one is free.

Limits of each bot:
  --sandbox standard|PREFIX: Sandbox of every bot that is not built in. 'standard': bubblewrap,
    without network and home. A command such as 'bwrap ...', in which {scratch} and {folder} stand
    for the bot's folders; or 'none'.
  --memory MIB: Resident memory of a bot and its child processes, in MiB; more loses the game.
  --open-files N: Open files of each process of a bot; opening more of them fails.
  --processes N: Processes of a bot at the same time; more lose the game.

Many machines:
  --tls-ca-file FILE: Certificate of the authority of a cluster's TLS; without it the configuration
    of Dask.
  --tls-cert FILE: Certificate of this machine for TLS.
  --tls-key FILE: Key of the certificate.
  --cluster HOST:PORT: Play on the machines of this Dask scheduler instead of this machine.

Database and output:
  --db FILE-or-URL: Database of bots and games: an SQLite file, or postgresql+psycopg://... on a
    server.
  --json: Print one JSON document instead of text.
  --note TEXT: Remark to store with the run; `ladder runs` shows it.
  --html FILE: Write the result as an HTML page too: one file that needs no network.
  --force: Let --html replace a file that ladder did not write.
  --verbose: Print the numbers of the test, too.
  -o, --output FILE: Write the result to a file instead of standard output.
  --junit FILE: Write the result as JUnit XML too, for CI servers.

Options:
  --python PATH: Interpreter of a python: or kaggle: bot. [python3 on PATH]
  --wdl W,D,L: Numbers of games won, drawn and lost.
  --penta LL,LD,DD,WD,WW: Numbers of pairs of games by score: 0, 1/2, 1, 3/2 and 2 points.
  --git REF: Take the files from this commit, tag or branch of the git repository here, instead of
    from the working tree.
  --build COMMAND: With --git: command that builds them, run by sh in a copy of the files.
  --generations N: Number of generations, those before an interruption included.
  --register NAME: Register the trained player as a bot of this name.
"""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from ladder.cli.completion import bot_lists, bot_names

MOST_GAMES = 1_000_000_000
MOST_WORK = 10**12
"""Simulations or positions of a move."""
MOST_PLIES = 12 * 12
"""Cells of the largest board."""
MOST_HOURS = 87_600
DEFAULT_DATABASE = "ladder.db"
DEFAULT_ADJUDICATION = 12
"""Plies of ``--adjudicate`` without a number, chosen in `docs/results/adjudication.md`: players
from v4 on convert all games that are decided so near their end."""
LEFT_OUT = {"--adjudicate": str(DEFAULT_ADJUDICATION)}
"""The values of options that may stand without one, where no whole number follows."""


class Takes:
    """Settings of `typer.Option`, as they stand in the type of a parameter."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings


def number(low: float, high: float, *, with_low: bool = False) -> Takes:
    """Return the settings of an option with a number above `low`, or from it, and up to `high`.

    Typer's own `min` lets NaN through, which is neither below nor above anything.
    """
    between = f"from {low:g} to {high:g}" if with_low else f"above {low:g} up to {high:g}"

    def read(text: object) -> float:
        try:
            value = float(str(text))
        except ValueError:
            raise typer.BadParameter(f"{text!r} is not a number {between}") from None
        if not (low < value <= high or (with_low and value == low)):
            raise typer.BadParameter(f"{text} is not a number {between}")
        return value

    return Takes(parser=read)


def whole_number(least: int, most: int) -> Callable[[object], int]:
    """Return a reader of whole numbers from `least` to `most`.

    Typer's own `min` and `max` would put 1<=x<=1000000000 into the help.
    """

    def read(text: object) -> int:
        try:
            value = int(str(text))
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            shown = text if str(text).lstrip("-").isdecimal() else repr(text)
            raise typer.BadParameter(f"{shown} is not a whole number from {least} to {most}")
        return value

    return read


def whole(least: int, most: int) -> Takes:
    """Return the settings of an option with a whole number from `least` to `most`."""
    return Takes(parser=whole_number(least, most))


def adjudication_plies(text: object) -> int:
    """Return the plies of ``--adjudicate``; in `ladder.toml` they may also be a boolean."""
    if isinstance(text, bool):
        return DEFAULT_ADJUDICATION if text else 0
    return whole_number(0, MOST_PLIES)(text)


BotName = Annotated[str, Takes(autocompletion=bot_names)]
BotNames = Annotated[str, Takes(autocompletion=bot_lists)]
Database = Annotated[str, Takes(envvar="LADDER_DB")]
Games = Annotated[int, whole(1, MOST_GAMES)]
GamesFromTwo = Annotated[int, whole(2, MOST_GAMES)]
Work = Annotated[int, whole(1, MOST_WORK)]
Plies = Annotated[int, whole(1, MOST_PLIES)]
PliesFromZero = Annotated[int, whole(0, MOST_PLIES)]
Adjudication = Annotated[int, Takes(parser=adjudication_plies)]
Seed = Annotated[int, whole(0, (1 << 53) - 1)]
Workers = Annotated[int, whole(1, 4096)]
Elo = Annotated[float, number(0, 1000)]
Chance = Annotated[float, number(0, 0.5)]
"""Of a wrong verdict."""
Confidence = Annotated[float, number(0.5, 0.9999, with_low=True)]
Hours = Annotated[float, number(0, MOST_HOURS)]
Seconds = Annotated[float, number(0, 86400)]
Key = Annotated[int, whole(1, (1 << 63) - 1)]
"""Of a row of the database."""
