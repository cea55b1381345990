"""`ladder bisect`: finds the commit that lost rating."""

from pathlib import Path

from db.records.bots import BotRow
from db.records.runs import RunKind
from db.store import Store
from ladder.cli.html_file import check_html, write_finding
from ladder.cli.options import DEFAULT_DATABASE, Confidence, Database, Elo, GamesFromTwo
from ladder.cli.output import print_error, print_finding_or_json
from ladder.cli.playing import experiment_context, open_to_play, plan_and_play
from ladder.cli.run_options import RunOptions
from ladder.cli.stored_specs import commit_source, trial_bounds
from ladder.experiments.bisect.history import read_history
from ladder.experiments.bisect.search import BisectQuestion
from ladder.experiments.bisect.session import Bisection, BisectSession, prepare
from ladder.runs.pairings import GATE, Pairing
from ladder.runs.settings import RunSettings
from ladder.stats.sprt import Model
from reports.findings.bisect import bisect_finding


def bisect(
    *,
    spec: str,
    good: str,
    bad: str,
    repository: Path | None = None,
    build: str = "",
    python: str | None = None,
    all_: bool = False,
    max_drop: Elo = 20.0,
    confidence: Confidence = 0.95,
    max_games: GamesFromTwo = 20_000,
    model: Model = Model.LOGISTIC,
    options: RunOptions,
    html: Path | None = None,
    force: bool = False,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """Find the commit of a git repository that lost rating.

    Commits between --good and --bad in the repository of the current folder are copied, built and
    played against the good one until the answer is as certain as --confidence asks. A commit that
    cannot be built, fails its trial or forfeits too often is skipped and named. An interrupted
    search is resumed by the same command.

    Exit codes: 0 found; 4 not decided, or no loss; 5 the good or the bad commit forfeits too often,
    or the machine stalls; 2 bad input; 130 stopped by Ctrl-C, with all pairs stored.

    Arguments:
      SPEC: Specification of the bot as for `ladder bots add`, such as 'exec:./mybot'.

    Commits:
      --good REF: Commit, tag or branch that still had the rating.
      --bad REF: Later commit, tag or branch that has lost it.
      --repository FOLDER: Folder of a repository in which SPEC is read. [the current folder]
      --build COMMAND: Command that builds each commit, run by sh in a copy of its files.
      --all: Test commits of merged branches too, instead of a merge as one step.

    The test:
      --max-drop ELO: Smallest Elo loss that matters.

    Example:
      ladder bisect 'exec:python3 mybot.py' --good v1.0 --bad main --max-drop 30
    """
    question = BisectQuestion(
        max_drop=max_drop, confidence=confidence, max_games=max_games, model=model
    )

    def settings_of(fitted: RunOptions) -> RunSettings:
        return fitted.settings(
            db=db, kind=RunKind.BISECT, bots=(), pairing=Pairing(GATE), rated=False
        )

    settings = settings_of(options)
    check_html(html, force=force)
    source = commit_source(spec, repository, python=python, build=build)
    history = read_history(source, good=good, bad=bad, first_parent=not all_)
    with trial_bounds(db, options) as confinement:
        asked = Bisection(
            history=history,
            source=source,
            question=question,
            settings=settings,
            confinement=confinement,
        )

        def plan(store: Store) -> tuple[Bisection, BotRow]:
            return prepare(store, asked, lambda bot: settings_of(options.suited_to([bot])[0]))

        def play(store: Store, planned: tuple[Bisection, BotRow]) -> int:
            _, reason = options.suited_to(planned[1:])
            if reason:
                print_error(reason)
            context = experiment_context(store, options)
            result = BisectSession(context, *planned, print_error).play()
            finding = bisect_finding(result)
            write_finding(None, finding, result, html)
            print_finding_or_json(finding, json=json)
            return result.exit_code

        kept = {
            "good": history.good.commit,
            "bad": history.bad.commit,
            "repository": str(source.folder.absolute()),
        }
        opened = open_to_play(db, plan)
        return plan_and_play(opened, plan, play, context=options.context, in_job=lambda _: kept)
