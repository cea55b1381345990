"""`ladder tune`: search a bot's numbers by games, and let a gate judge the find."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ladder.cli.options import (
    DEFAULT_DATABASE,
    MOST_GAMES,
    Alpha,
    Beta,
    Database,
    EloModel,
    Json,
    amount,
)
from ladder.cli.run_options import RunOptions, takes_options

if TYPE_CHECKING:
    from db.store import Store

MOST_PAIRS = 10_000
"""Of a step."""
GAMES_SHOWN = 60
"""Lost games of the tuned bot that a page holds at most."""


@takes_options
def tune(
    *,
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            help="The bot: builtin:v18, or a command with {NAME} where a value goes, such as "
            "'exec:./mybot --c {c}' or 'exec:env C={c} ./mybot'.",
        ),
    ],
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=LOW..HIGH[:int]",
            help="A number to tune, with :int for whole ones and :log for factors; "
            "NAME=LOW..START..HIGH says where to begin. Once for each.",
        ),
    ] = None,
    games: Annotated[
        int, typer.Option(metavar="N", min=2, max=MOST_GAMES, help="Games of the search.")
    ] = 4000,
    pairs: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=MOST_PAIRS,
            help="Pairs of each step, best a multiple of those played at the same time.",
        ),
    ] = 8,
    method: Annotated[Literal["spsa"], typer.Option(help="How settings are chosen.")] = "spsa",
    register: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Register the tuned bot when it wins the gate."),
    ] = None,
    max_drop: Annotated[
        float,
        typer.Option(metavar="ELO", help="Largest acceptable Elo loss in the gate at the end."),
    ] = 10.0,
    alpha: Alpha = 0.05,
    beta: Beta = 0.05,
    max_games: Annotated[
        int, amount("N", MOST_GAMES, "Stop the gate after N games, inconclusive.", least=2)
    ] = 4000,
    model: EloModel = "logistic",
    python: Annotated[
        str | None,
        typer.Option(metavar="PYTHON", help="The interpreter of python: and kaggle: bots."),
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Files of the folder that are the bot, as in bots add. [default: found]",
        ),
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Begin anew, whatever was played before.")
    ] = False,
    options: RunOptions,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the search and the verdict as a page."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Let --html replace a file that ladder did not write.")
    ] = False,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """Tune the numbers of a bot by games between two settings, then gate it against the original.

    The verdict is the gate's, on pairs that the search never saw. Exit codes: 0 pass,
    3 regression, 4 inconclusive, 5 invalid, 2 bad input, 130 stopped by Ctrl-C after saving; the
    same command resumes it. No game of it counts in a rating list.
    """
    from db.records.runs import RunKind
    from ladder.cli.database import open_to_play
    from ladder.cli.html_file import check_html, write_tuning
    from ladder.cli.output import print_result, stderr_console
    from ladder.experiments.engine import ExperimentContext
    from ladder.experiments.gate.question import GateTest
    from ladder.experiments.tune.bots import refuse_register
    from ladder.experiments.tune.parameters import read_parameters
    from ladder.experiments.tune.session import checked, tune
    from ladder.experiments.tune.task import Method, TuningTask
    from ladder.experiments.tune.template import template_of
    from ladder.runs.schedule import Pairing, PairingKind
    from ladder.runs.settings import ResumePolicy
    from ladder.stats.choices import Model
    from reports.run import watcher_for
    from reports.tune import tune_document, tune_text, tuning_watcher

    test = GateTest(
        max_drop=max_drop, alpha=alpha, beta=beta, max_games=max_games, model=Model(model)
    )
    settings = options.settings(
        db=db,
        kind=RunKind.TUNE,
        bots=(),
        pairing=Pairing(PairingKind.RANDOM),
        games=games,
        rated=False,
        resume_policy=ResumePolicy.NEVER if new else ResumePolicy.AUTO,
    )
    task = TuningTask(
        template=template_of(spec, read_parameters(param or ())),
        settings=settings,
        pairs=pairs,
        test=test,
        folder=Path.cwd(),
        python=python,
        patterns=tuple(files or ()),
        method=Method(method),
    )
    if html is not None:
        check_html(html, force=force)

    def check(store: "Store") -> None:
        if register is not None:
            refuse_register(store, register)
        checked(store, task)

    workforce = options.workforce()
    with open_to_play(db, check) as store:
        if register is not None:
            refuse_register(store, register)
        console = stderr_console()
        bench = ExperimentContext(store, watcher_for(console), workforce)
        view = tuning_watcher(console, task.template.parameters)
        tuned = tune(bench, task, register=register, search_watcher=view)
        if html is not None:
            write_tuning(store, tuned, html, games=GAMES_SHOWN)
        print_result(tuned, tune_document, tune_text, json=json)
    return tuned.exit_code
