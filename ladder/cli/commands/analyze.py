"""`ladder analyze`: what versions get wrong, position by position."""

from typing import Annotated

import typer

from ladder.cli.completion import bot_lists
from ladder.cli.options import (
    DEFAULT_DATABASE,
    MOST_GAMES,
    MOST_WORK,
    Database,
    Json,
    number,
)


def analyze(
    *,
    division: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Number, label or its beginning; with all its games. [default: the rating list]",
        ),
    ] = None,
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="Only games of these bots: v1,v2.", autocompletion=bot_lists
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=MOST_GAMES, help="Only the newest N games. [default: all]"
        ),
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=MOST_WORK,
            help="The most nodes for one position. [default: chosen by board and free cells]",
        ),
    ] = None,
    hours: Annotated[
        float | None,
        typer.Option(metavar="H", parser=number(0, 87600), help="Stop after so many hours."),
    ] = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="Throw all verdicts of the database away, and end.")
    ] = False,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """Solve the positions of stored games and count what each bot got wrong.

    Goes from the newest game back, at idle priority, and keeps what is done: Ctrl-C (exit code
    130) ends it, and the same command resumes. Then prints what is known of the division, as
    `ladder report --mistakes` does. Games of matches and experiments need --division.
    """
    from ladder.cli.database import open_store
    from ladder.cli.output import print_error, print_out, show_table, stderr_console
    from ladder.cli.parsing import names_of
    from ladder.errors import ExitCode
    from ladder.match.process.cpus import lower_priority
    from ladder.results.analysis.division import read_mistakes
    from ladder.results.analysis.session import analyse
    from ladder.results.standings.division import division_or_latest
    from ladder.signals import current_stop
    from reports.analyze import analysis_document, analysis_watcher, print_mistakes
    from reports.layout.format import to_json

    names = () if bots is None else tuple(names_of(bots))
    with open_store(db, create=False) as store:
        if forget:
            verdicts, positions = store.analysis.delete_all()
            print_error(f"forgot the verdicts on {verdicts} games and {positions} positions")
            return ExitCode.DONE
        row = division_or_latest(store, division)
        lower_priority()
        with current_stop().defer():
            state = analyse(
                store,
                row,
                bots=names,
                games=games,
                rated_only=division is None,
                nodes=nodes,
                seconds=None if hours is None else hours * 3600,
                is_stopped=current_stop().is_requested,
                watcher=analysis_watcher(stderr_console()),
            )
            made = read_mistakes(store, row)
    if json:
        print_out(to_json(analysis_document(state, made)))
    else:
        show_table(lambda console: print_mistakes(console, made))
    return ExitCode.STOPPED if current_stop().is_requested() else ExitCode.DONE
