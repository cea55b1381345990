"""`ladder bisect`: which commit lost the rating?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.options import (
    DEFAULT_DATABASE,
    Confidence,
    Database,
    EloModel,
    Json,
    MaxGames,
)
from ladder.cli.run_options import RunOptions, takes_options

if TYPE_CHECKING:
    from db.store import Store


@takes_options
def bisect(
    *,
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC", help="The bot, as `ladder bots add` takes it, such as 'exec:./mybot'."
        ),
    ],
    good: Annotated[str, typer.Option(metavar="REF", help="A revision that still had the rating.")],
    bad: Annotated[str, typer.Option(metavar="REF", help="A later revision that has lost it.")],
    build: Annotated[
        str, typer.Option(metavar="COMMAND", help="Build each commit so, in a copy of its own.")
    ] = "",
    python: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="The interpreter of a python: or kaggle: bot. [default: python3 on PATH]",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Look into merged branches: not only at first parents.")
    ] = False,
    max_drop: Annotated[
        float, typer.Option(metavar="ELO", help="Smallest Elo loss that matters.")
    ] = 20.0,
    confidence: Confidence = 0.95,
    max_games: MaxGames = 20_000,
    model: EloModel = "logistic",
    options: RunOptions,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the answer as a page with charts."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Let --html replace a file that ladder did not write.")
    ] = False,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """Find the commit that lost rating, between a good and a bad revision of the repository here.

    Commits are built and tried as by `ladder bots add --git`, and play against the good one until
    the answer is as sure as asked; those that cannot be built, fail their trial or forfeit are
    skipped and named. Exit codes: 0 found, 4 not decided, or no drop, 5 good or bad forfeits or
    the machine stalls, 2 bad input, 130 stopped by Ctrl-C: the same command resumes it.
    """
    from db.beside import COPIES, folder_beside
    from db.records.runs import RunKind
    from db.store import file_of
    from ladder.cli.commands.bots_add import trial_bounds
    from ladder.cli.database import open_to_play
    from ladder.cli.html_file import check_html, write_bisection
    from ladder.cli.output import print_error, print_out, show_table, stderr_console
    from ladder.experiments.bisect.history import read_history
    from ladder.experiments.bisect.question import Question
    from ladder.experiments.bisect.session import Bisection, prepare, run_bisection
    from ladder.experiments.engine import ExperimentContext
    from ladder.match.registry.commit_bots import CommitBots
    from ladder.runs.schedule import Pairing, PairingKind
    from ladder.stats.choices import Model
    from reports.bisect import bisect_document, print_bisect
    from reports.layout.format import to_json
    from reports.run import watcher_for

    question = Question(
        max_drop=max_drop, confidence=confidence, max_games=max_games, model=Model(model)
    )
    settings = options.settings(
        db=db,
        kind=RunKind.BISECT,
        bots=(),
        pairing=Pairing(PairingKind.GATE),
        rated=False,
    )
    if html is not None:
        check_html(html, force=force)
    history = read_history(spec, Path.cwd(), good=good, bad=bad, first_parent=not every)
    bots = CommitBots(
        spec=spec,
        folder=Path.cwd(),
        build=build,
        python=python,
        copies=folder_beside(file_of(db), COPIES),
    )
    with trial_bounds(db, options) as confinement:
        asked = Bisection(
            history=history,
            bots=bots,
            question=question,
            settings=settings,
            confinement=confinement,
        )

        def check(store: "Store") -> None:
            prepare(store, asked)

        with open_to_play(db, check) as store:
            good_bot = prepare(store, asked)
            bench = ExperimentContext(store, watcher_for(stderr_console()), options.workforce())
            result = run_bisection(bench, asked, good_bot, report=print_error)
    if html is not None:
        write_bisection(result, html)
    if json:
        print_out(to_json(bisect_document(result)))
    else:
        show_table(lambda console: print_bisect(console, result))
    return result.exit_code
