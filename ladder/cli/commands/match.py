"""`ladder match`: a head-to-head of two bots."""

from functools import partial

from db.records.runs import RunKind
from ladder.cli.options import DEFAULT_DATABASE, BotName, Database, Games
from ladder.cli.run_and_report import play_and_report
from ladder.cli.run_options import RunOptions
from ladder.cli.stored_specs import name_of, print_former_run, store_specs
from ladder.errors import UsageError
from ladder.registry.entrants import choose_bots
from ladder.registry.from_spec import SpecRules
from ladder.runs.pairings import ROUND_ROBIN, Pairing
from ladder.runs.settings import ResumePolicy


def match(
    *,
    a: BotName,
    b: BotName,
    games: Games = 100,
    new: bool = False,
    based_on: str | None = None,
    new_version: bool = False,
    rated: bool = False,
    options: RunOptions,
    db: Database = DEFAULT_DATABASE,
    verbose: bool = False,
    json: bool = False,
) -> int:
    """Play two bots against each other.

    The games are stored but do not count in the rating list unless --rated is given. An interrupted
    match is resumed by the same command. After its end the same command with the same --seed shows
    its result; without, or with --new, it plays further pairs.

    Arguments:
      A: Registered bot whose score is printed, or a specification.
      B: Its opponent, likewise.

    What to play:
      --games N: Number of games.

    Example:
      ladder match mybot v4 --games 100
    """
    if a == b:
        raise UsageError(f"B: a match needs two different bots, got {a!r} twice")
    named = store_specs(db, (a, b), options, SpecRules(based_on, is_new=new_version))
    a, b = name_of(named, a), name_of(named, b)
    if a == b:
        raise UsageError(f"B: a match needs two different bots, and both are {a}")
    options = options.for_bots(db, (a, b))
    settings = options.settings(
        db=db,
        kind=RunKind.MATCH,
        bots=(a, b),
        pairing=Pairing(ROUND_ROBIN),
        games=games,
        rated=rated,
        resume_policy=ResumePolicy.NEVER if new else ResumePolicy.AUTO,
        kept={"a": a, "b": b},
    )

    remedy = "to continue it, write {name} in place of the specification"
    return play_and_report(
        db,
        settings,
        lambda store: choose_bots(store, [a, b], None),
        json=json,
        options=options,
        former=partial(print_former_run, found=named, kind=RunKind.MATCH, remedy=remedy),
        verbose=verbose,
        in_job={"a": a, "b": b, "based_on": None},
    )
