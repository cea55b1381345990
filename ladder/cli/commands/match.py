"""`ladder match`: a head-to-head of two bots."""

from typing import Annotated

import typer

from ladder.cli.completion import bot_names
from ladder.cli.options import DEFAULT_DATABASE, MOST_GAMES, Database, Json
from ladder.cli.run_options import RunOptions, takes_options


@takes_options
def match(
    *,
    a: Annotated[
        str, typer.Argument(metavar="A", help="A registered bot.", autocompletion=bot_names)
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="Its opponent.", autocompletion=bot_names)],
    games: Annotated[
        int, typer.Option(metavar="N", min=1, max=MOST_GAMES, help="How many games.")
    ] = 100,
    rated: Annotated[
        bool, typer.Option("--rated", help="Let the games count in the rating list.")
    ] = False,
    options: RunOptions,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """Play A against B; the games are stored outside the rating list unless --rated."""
    from db.records.runs import RunKind
    from ladder.cli.run_and_report import play_and_report
    from ladder.errors import UsageError
    from ladder.match.registry.registered import choose_bots
    from ladder.runs.schedule import Pairing, PairingKind

    if a == b:
        raise UsageError(f"a match needs two different bots, got {a!r} twice")
    settings = options.settings(
        db=db,
        kind=RunKind.MATCH,
        bots=(a, b),
        pairing=Pairing(PairingKind.ROUND_ROBIN),
        games=games,
        rated=rated,
    )
    return play_and_report(
        db,
        lambda store: (settings, choose_bots(store, [a, b])),
        json=json,
        options=options,
    )
