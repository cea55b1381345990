"""`ladder match`: a head-to-head of two bots."""

from typing import Annotated

from ladder.cli.completion import bot_names
from ladder.cli.options import (
    DEFAULT_DATABASE,
    MOST_GAMES,
    PANEL_PLAY,
    Database,
    Json,
    Rated,
    argument,
    whole,
)
from ladder.cli.run_options import RunOptions, takes_options


@takes_options
def match(
    *,
    a: Annotated[
        str, argument("A", "Registered bot whose score is printed.", autocompletion=bot_names)
    ],
    b: Annotated[str, argument("B", "Registered bot, its opponent.", autocompletion=bot_names)],
    games: Annotated[int, whole("N", MOST_GAMES, "Number of games.", PANEL_PLAY)] = 100,
    rated: Rated = False,
    options: RunOptions,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """Play two bots against each other and print the score.

    The games are stored but do not count in the rating list unless --rated is given. An interrupted
    match is resumed by the same command; after its end it plays further pairs.
    """
    from db.records.runs import RunKind
    from ladder.cli.run_and_report import play_and_report
    from ladder.errors import UsageError
    from ladder.match.registry.registered import choose_bots
    from ladder.runs.schedule import Pairing, PairingKind

    if a == b:
        raise UsageError(f"B: a match needs two different bots, got {a!r} twice")
    settings = options.settings(
        db=db,
        kind=RunKind.MATCH,
        bots=(a, b),
        pairing=Pairing(PairingKind.ROUND_ROBIN),
        games=games,
        rated=rated,
    )
    return play_and_report(
        db, lambda store: (settings, choose_bots(store, [a, b], None)), json=json, options=options
    )
