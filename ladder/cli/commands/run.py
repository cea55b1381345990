"""`ladder run` and `ladder match`: pairs of games among registered bots, and of two of them."""

from functools import partial
from typing import Annotated

from db.records.runs import RunKind
from ladder.cli.completion import pairings
from ladder.cli.options import (
    DEFAULT_DATABASE,
    BotName,
    BotNames,
    Database,
    Games,
    Hours,
    Takes,
    number,
)
from ladder.cli.parsing import parse_names
from ladder.cli.run_and_report import play_and_report
from ladder.cli.run_options import RunOptions
from ladder.cli.stored_specs import former_names, name_of, print_former_run, store_specs
from ladder.errors import UsageError
from ladder.registry.entrants import choose_bots, default_bots
from ladder.registry.from_spec import SpecRules
from ladder.runs.pairings import ROUND_ROBIN, Pairing, describe_pairings, parse_pairing
from ladder.runs.settings import ResumePolicy

MOST_ERROR = 1000
PAIRING = Takes(autocompletion=pairings, help=f"Who meets whom: {describe_pairings()}.")


def run(
    *,
    bots: BotNames | None = None,
    pairing: Annotated[str, PAIRING] = "random",
    games: Games | None = None,
    hours: Hours | None = None,
    until_error: Annotated[float, number(0, MOST_ERROR)] | None = None,
    resume: bool = False,
    new: bool = False,
    based_on: str | None = None,
    new_version: bool = False,
    options: RunOptions,
    serve: bool = False,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """Play pairs of games among bots, for a whole night or less.

    --games, --hours, --until-error or Ctrl-C ends it. A pair is two games on one board and opening
    with the sides swapped. Every finished pair is stored, and the rating list is printed at the
    end. A bot that crashes, is late or breaks the rules loses that game.

    An interrupted run is resumed by the same command. A run that is complete is continued by the
    same command with further pairs.

    Exit codes: 0 done; 2 bad input, or no worker of the cluster can play the run; 5 the machine
    stalls, or fewer than two bots can play; 130 stopped by Ctrl-C, with all pairs stored.

    What to play:
      --bots LIST: Bots that play: names, patterns or specifications, separated by commas, such as
        v1,v2 or 'v*'. A bot that cannot take part is left out if a pattern selects it, and an error
        if its name is given. [your own bots, and a few built-in players as opponents]
      --pairing KIND: Who meets whom.

    Stopping and resuming:
      --games N: Stop after N games, those before an interruption included; an odd number is rounded
        up to whole pairs.
      --hours H: Stop after H hours of play, those before an interruption included.
      --until-error ELO: Stop when the 95 % error of every bot's rating is at most ELO, by the games
        of this run. Bots that won or lost all their games have no error and are not waited for.
      --resume: Only complete an interrupted run with these options. If there is none, list all
        interrupted runs with the commands that resume them.
      --new: Start a new run even if one with these options was interrupted.

    Database and output:
      --serve: Show the run in the browser while it lasts; the address is printed.

    Example:
      ladder run --bots 'v*' --time 100ms --hours 8
    """
    if resume and new:
        raise UsageError("--resume and --new contradict each other: give one of them")
    policy = ResumePolicy.ONLY if resume else ResumePolicy.NEVER if new else ResumePolicy.AUTO
    # Everything that can be wrong is read before the database is touched.
    patterns = [] if bots is None else parse_names(bots)
    settings_of = partial(
        RunOptions.settings,
        db=db,
        kind=RunKind.LADDER,
        bots=(),
        pairing=parse_pairing(pairing),
        games=games,
        seconds=None if hours is None else hours * 3600,
        resume_policy=policy,
    )
    settings_of(options)
    former = former_names(db, patterns) if resume else None
    named = (
        {}
        if former
        else store_specs(db, patterns, options, SpecRules(based_on, is_new=new_version))
    )
    patterns = former or [name_of(named, word) for word in patterns]
    options = options.for_bots(db, patterns)

    return play_and_report(
        db,
        settings_of(options),
        lambda store: default_bots(store) if bots is None else choose_bots(store, patterns),
        json=json,
        named=patterns,
        is_served=serve,
        options=options,
        former=partial(
            print_former_run, found=named, kind=RunKind.LADDER, remedy="`--resume` continues it"
        ),
        until_error=until_error,
        in_job={"bots": ",".join(patterns) or None, "based_on": None},
    )


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
