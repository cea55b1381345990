"""`ladder match`: a head-to-head of two bots."""

from typing import Annotated

from db.records.bots import BotRow
from db.records.runs import RunKind
from db.store import Store
from ladder.cli.completion import bot_names
from ladder.cli.options import (
    DEFAULT_DATABASE,
    MOST_GAMES,
    PANEL_PLAY,
    BasedOn,
    Database,
    Json,
    New,
    Rated,
    Verbose,
    argument,
    whole,
)
from ladder.cli.run_and_report import play_and_report
from ladder.cli.run_options import RunOptions, takes_options
from ladder.cli.stored_specs import name_of, print_former_run, store_specs
from ladder.errors import UsageError
from ladder.match.registry.registered import choose_bots
from ladder.runs.pairings import ROUND_ROBIN, Pairing
from ladder.runs.settings import ResumePolicy, RunSettings


@takes_options
def match(
    *,
    a: Annotated[
        str,
        argument(
            "A",
            "Registered bot whose score is printed, or a specification.",
            autocompletion=bot_names,
        ),
    ],
    b: Annotated[str, argument("B", "Its opponent, likewise.", autocompletion=bot_names)],
    games: Annotated[int, whole("N", MOST_GAMES, "Number of games.", PANEL_PLAY)] = 100,
    new: New = False,
    based_on: BasedOn = None,
    rated: Rated = False,
    options: RunOptions,
    db: Database = DEFAULT_DATABASE,
    verbose: Verbose = False,
    json: Json = False,
) -> int:
    """Play two bots against each other and print the score.

    The games are stored but do not count in the rating list unless --rated is given. An interrupted
    match is resumed by the same command. After its end the same command with the same --seed shows
    its result; without, or with --new, it plays further pairs.
    """
    if a == b:
        raise UsageError(f"B: a match needs two different bots, got {a!r} twice")
    named = store_specs(db, (a, b), options, based_on)
    a, b = name_of(named, a), name_of(named, b)
    if a == b:
        raise UsageError(f"B: a match needs two different bots, and both are {a}")
    settings = options.settings(
        db=db,
        kind=RunKind.MATCH,
        bots=(a, b),
        pairing=Pairing(ROUND_ROBIN),
        games=games,
        rated=rated,
        resume_policy=ResumePolicy.NEVER if new else ResumePolicy.AUTO,
    )

    def choose(store: Store) -> tuple[RunSettings, list[BotRow]]:
        remedy = "to continue it, write {name} in place of the specification"
        print_former_run(store, named, RunKind.MATCH, remedy)
        return settings, choose_bots(store, [a, b], None)

    return play_and_report(db, choose, json=json, options=options, verbose=verbose)
