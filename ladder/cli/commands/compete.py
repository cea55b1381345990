"""`ladder compete`: a match as the course's own program plays it, with its result file."""

import contextlib
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.seeds import SEED_LIMIT
from ladder.checked_stream import open_checked
from ladder.cli.database import open_store
from ladder.cli.options import DEFAULT_DATABASE, Database, Games, Seed
from ladder.cli.output import check_writable, print_error, print_out, report_written
from ladder.cli.parsing import parse_margin, parse_time
from ladder.cli.run_options import BotOptions
from ladder.cli.stored_specs import report_changed_origins
from ladder.errors import UsageError
from ladder.names import counted
from ladder.tools.compete import (
    NO_INTERFACE,
    UNLOADABLE,
    CourseRound,
    report_forfeits,
    resolve_contestant,
    write_results,
)
from ladder.tools.compete import compete as play


def compete(
    *,
    a: str,
    b: str,
    result_file: Path,
    rounds: Games,
    time: str = "3s",
    seed: Seed | None = None,
    margin: str = "50ms",
    options: BotOptions,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Play a match as the course's match program does.

    It writes its result file. Nothing is stored in the database. Each round draws a board of the
    thu family, and both bots begin once.

    \b
    Codes in the result file:
      0 tie, 1 A wins, 2 B wins
      3 bug of A, 4 illegal move of A, 7 timeout of A
      5 bug of B, 6 illegal move of B, 8 timeout of B
      -1 the file of A cannot be loaded, -2 that of B
      -3 a function of A is missing, -4 one of B

    After a code below 0 the exit code is 2, as no game was played.

    Arguments:
      A: First bot: a shared library, a specification such as saiblo:./program, or a registered bot.
      B: Second bot: a shared library, a specification such as saiblo:./program, or a registered
        bot.
      RESULT_FILE: File to write the results to.
      ROUNDS: Number of rounds of two games each.

    Time or work per move:
      --time 100ms|2s: Wall time per move.

    What to play:
      --seed N: Seed of all random choices: the same seed repeats them. [a random one]

    Example:
      ladder compete ./a.so ./b.so result.txt 10
    """
    check_writable(result_file, "RESULT_FILE")
    confinement = options.confinement()
    seed = secrets.randbelow(SEED_LIMIT) if seed is None else seed
    with contextlib.ExitStack() as stack:
        exists = "://" in db or Path(db).exists()
        store = stack.enter_context(open_store(db, create=False, sync=True)) if exists else None
        sides = [resolve_contestant(word, Path.cwd(), store) for word in (a, b)]
        if store is not None:
            report_changed_origins(store, [side.bot for side in sides if side.bot is not None])
    games = play(
        *sides,
        rounds=rounds,
        time_ms=parse_time(time),
        margin_ms=parse_margin(margin),
        seed=seed,
        confinement=confinement,
    )
    played: list[CourseRound] = []
    with open_checked(result_file, "RESULT_FILE") as file:
        statistics = write_results(report_forfeits(_keep(games, played), print_error), file)
    if (code := played[0][0].code) in (*UNLOADABLE, *NO_INTERFACE):
        raise UsageError(
            f"no game was played, for the reason above: {result_file} has the code {code}; correct "
            f"{a if code in (UNLOADABLE[0], NO_INTERFACE[0]) else b}"
        )
    print_out(statistics)
    report_written(f"the results of {counted(rounds, 'round')}", result_file)
    return 0


def _keep(rounds: Iterable[CourseRound], played: list[CourseRound]) -> Iterator[CourseRound]:
    for each in rounds:
        played.append(each)
        yield each
