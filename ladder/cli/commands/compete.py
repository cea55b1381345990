"""`ladder compete`: a match as the course's own program plays it, with its result file."""

from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.options import DEFAULT_DATABASE, MOST_GAMES, Database, Margin, Seed
from ladder.cli.run_options import BotOptions, takes_options

COMPETITOR = "A shared library, a specification such as saiblo:./program, or a registered bot."


@takes_options
def compete(
    *,
    a: Annotated[str, typer.Argument(metavar="A", help=COMPETITOR)],
    b: Annotated[str, typer.Argument(metavar="B", help=COMPETITOR)],
    result_file: Annotated[Path, typer.Argument(metavar="RESULT_FILE", help="Written anew.")],
    rounds: Annotated[
        int, typer.Argument(metavar="ROUNDS", min=1, max=MOST_GAMES, help="Of two games each.")
    ],
    time: Annotated[str, typer.Option(metavar="100ms|2s", help="Wall time per move.")] = "3s",
    seed: Seed = None,
    margin: Margin = "50ms",
    options: BotOptions,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Play like the course's match program and write its result file; nothing is stored.

    Codes: 0 tie, 1 A wins, 2 B wins; 3, 4, 7 bug, illegal move, timeout of A; 5, 6, 8 of B;
    -1, -2 the file of A or B cannot be loaded, -3, -4 its functions are missing.
    """
    import contextlib
    import secrets

    from engine.seeds import SEED_LIMIT
    from ladder.checked_stream import writing
    from ladder.cli.database import open_store
    from ladder.cli.first_starts import warn_of_unknown
    from ladder.cli.output import (
        check_writable,
        print_error,
        print_out,
    )
    from ladder.cli.parsing import (
        parse_margin,
        parse_time,
    )
    from ladder.tools.compete import compete as play
    from ladder.tools.compete import find_registered_bot, resolve_contestant
    from reports.compete import report_forfeits, write_results

    check_writable(result_file)
    confinement = options.confinement()
    seed = secrets.randbelow(SEED_LIMIT) if seed is None else seed
    with contextlib.ExitStack() as stack:
        exists = "://" in db or Path(db).exists()
        store = stack.enter_context(open_store(db, create=False, sync=True)) if exists else None
        named = [find_registered_bot(word, Path.cwd(), store) for word in (a, b)]
        warn_of_unknown(bot for bot in named if bot is not None)
        sides = [resolve_contestant(word, Path.cwd(), store) for word in (a, b)]
    games = play(
        *sides,
        rounds=rounds,
        time_ms=parse_time(time),
        margin_ms=parse_margin(margin),
        seed=seed,
        confinement=confinement,
    )
    with writing(result_file, "RESULT_FILE") as file:
        print_out(write_results(report_forfeits(games, print_error), file))
    return 0
