"""`ladder tune`: searches the best values of a bot's numbers, and gates the result."""

from pathlib import Path
from typing import Annotated

from db.records.bots import BotRow
from db.records.runs import RunKind
from db.store import Store
from ladder.cli.html_file import check_html, write_finding
from ladder.cli.options import DEFAULT_DATABASE, Chance, Database, Elo, GamesFromTwo, whole
from ladder.cli.output import print_error, print_finding_or_json, stderr_console
from ladder.cli.playing import experiment_context, open_to_play, plan_and_play
from ladder.cli.run_options import RunOptions
from ladder.cli.stored_specs import refuse_in_job
from ladder.experiments.gate.question import GateTest
from ladder.experiments.tune.bots import TuningTask, refuse_taken_name
from ladder.experiments.tune.parameters import template_of
from ladder.experiments.tune.session import prepare_original
from ladder.experiments.tune.session import tune as play_tuning
from ladder.registry.specs.spec import BUILTIN
from ladder.runs.pairings import RANDOM, Pairing
from ladder.runs.settings import ResumePolicy, RunSettings
from ladder.stats.sprt import Model
from reports.findings.tune import tune_finding
from reports.run import tuning_watcher


def tune(
    *,
    spec: str,
    param: list[str] | None = None,
    games: GamesFromTwo = 4000,
    pairs: Annotated[int, whole(1, 10_000)] = 8,
    register: str | None = None,
    max_drop: Elo = 10.0,
    alpha: Chance = 0.05,
    beta: Chance = 0.05,
    max_games: GamesFromTwo = 4000,
    model: Model = Model.LOGISTIC,
    python: str | None = None,
    files: list[str] | None = None,
    base: str | None = None,
    new: bool = False,
    options: RunOptions,
    html: Path | None = None,
    force: bool = False,
    db: Database = DEFAULT_DATABASE,
    verbose: bool = False,
    json: bool = False,
) -> int:
    """Search better values for the numbers of a bot.

    The search plays pairs of games between two settings. The gate then tests the tuned bot against
    the original on other pairs, and its verdict is the command's. No game counts in the rating
    list. An interrupted search is resumed by the same command, and the result of a finished one is
    printed again without playing.

    Exit codes: 0 pass; 3 regression; 4 inconclusive; 5 invalid; 2 bad input; 130 stopped by Ctrl-C,
    with at most the step in play lost.

    Arguments:
      SPEC: Bot to tune: builtin:v18, or a command with {NAME} in place of a value, such as
        'exec:./mybot --c {c}' or 'exec:env C={c} ./mybot'.

    The search:
      --param NAME=LOW..HIGH[:int]: Number to tune and its range, once for each number. :int means
        whole numbers, :log a factor, and NAME=LOW..START..HIGH sets the first value.
      --games N: Games of the search.
      --pairs N: Pairs of games per step of the search; a multiple of --concurrency is fastest.

    Database and output:
      --register NAME: Register the tuned bot under this name if it passes the gate and scores more
        than the original.

    The test:
      --max-drop ELO: Largest acceptable Elo loss.

    Options:
      --files PATTERN: Files in the current folder that belong to the bot, as for `ladder bots add`.
        [those found]
      --base NAME: Stored bot whose files are tuned, in place of those in the current folder. It is
        SPEC with the first values.

    Stopping and resuming:
      --new: Start a new search even if this one was interrupted or is finished.

    Example:
      ladder tune builtin:v18 --param c=0.2..1.2 --games 4000 --time 20ms
    """
    test = GateTest(max_drop=max_drop, alpha=alpha, beta=beta, max_games=max_games, model=model)

    def settings_of(fitted: RunOptions) -> RunSettings:
        return fitted.settings(
            db=db,
            kind=RunKind.TUNE,
            bots=(),
            pairing=Pairing(RANDOM),
            games=games,
            rated=False,
            resume_policy=ResumePolicy.NEVER if new else ResumePolicy.AUTO,
        )

    settings = settings_of(options)
    task = TuningTask(
        template=template_of(spec, param or ()),
        settings=settings,
        pairs=pairs,
        test=test,
        folder=Path.cwd(),
        python=python,
        patterns=tuple(files or ()),
        base=base,
    )
    if base is None and not spec.startswith(BUILTIN):
        refuse_in_job(spec)
    check_html(html, force=force)

    def plan(store: Store) -> tuple[TuningTask, BotRow]:
        if register is not None:
            refuse_taken_name(store, register)
        return prepare_original(store, task, lambda bot: settings_of(options.suited_to([bot])[0]))

    def play(store: Store, planned: tuple[TuningTask, BotRow]) -> int:
        _, reason = options.suited_to(planned[1:])
        if reason:
            print_error(reason)
        tuned = play_tuning(
            experiment_context(store, options),
            *planned,
            register=register,
            search_watcher=tuning_watcher(stderr_console()),
        )
        finding = tune_finding(tuned)
        write_finding(store, finding, tuned, html)
        print_finding_or_json(finding, json=json, verbose=verbose)
        return tuned.exit_code

    def in_job(planned: tuple[TuningTask, BotRow]) -> dict[str, object]:
        original = planned[1]
        return {} if original.revision.launch.is_own else {"base": original.name}

    opened = open_to_play(db, plan)
    return plan_and_play(opened, plan, play, context=options.context, in_job=in_job)
