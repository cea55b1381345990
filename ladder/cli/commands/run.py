"""`ladder run`: plays random pairs until told to stop."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.completion import bot_lists, pairings
from ladder.cli.options import DEFAULT_DATABASE, Database, Games, Json, number
from ladder.cli.run_options import RunOptions, takes_options

if TYPE_CHECKING:
    from db.records.bots import BotRow
    from db.store import Store
    from ladder.runs.settings import Settings


@takes_options
def run(
    *,
    bots: Annotated[
        str,
        typer.Option(
            metavar="LIST", help="Names or patterns: v1,v2 or 'v*'.", autocompletion=bot_lists
        ),
    ] = "*",
    pairing: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="random, round-robin, uncertain or gauntlet:NAME.",
            autocompletion=pairings,
        ),
    ] = "random",
    games: Games = None,
    hours: Annotated[
        float | None,
        typer.Option(metavar="H", parser=number(0, 87600), help="Stop after so many hours."),
    ] = None,
    options: RunOptions,
    resume: Annotated[
        bool, typer.Option("--resume", help="Only complete an interrupted run.")
    ] = False,
    new: Annotated[bool, typer.Option("--new", help="Never resume an interrupted run.")] = False,
    serve: Annotated[
        bool, typer.Option("--serve", help="Show the run in the browser while it lasts.")
    ] = False,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """Play pairs of games among registered bots until --games, --hours or Ctrl-C.

    The same command resumes an interrupted run, with what is left of its --hours. A bot
    that fails loses that game; the report at the end lists forfeits. Exit codes: 0 done, 2 bad
    input or a bot that no machine of the cluster can host, 5 the machine stalls or fewer than two
    bots can play, 130 stopped by Ctrl-C after saving.
    """
    from db.records.runs import RunKind
    from ladder.cli.parsing import names_of
    from ladder.cli.run_and_report import play_and_report
    from ladder.errors import UsageError
    from ladder.match.registry.registered import choose_bots
    from ladder.runs.schedule import parse_pairing
    from ladder.runs.settings import ResumePolicy

    if resume and new:
        raise UsageError("--resume and --new contradict each other: give one of them")
    policy = ResumePolicy.ONLY if resume else ResumePolicy.NEVER if new else ResumePolicy.AUTO
    # Everything that can be wrong is read before the database is touched.
    patterns = names_of(bots)
    settings = options.settings(
        db=db,
        kind=RunKind.LADDER,
        bots=(),
        pairing=parse_pairing(pairing),
        games=games,
        seconds=None if hours is None else hours * 3600,
        resume_policy=policy,
    )

    def choose(store: "Store") -> "tuple[Settings, list[BotRow]]":
        chosen = choose_bots(store, patterns)
        return replace(settings, bots=tuple(bot.name for bot in chosen)), chosen

    return play_and_report(db, choose, json=json, named=patterns, is_served=serve, options=options)
