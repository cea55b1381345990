"""`ladder nightly`: stores the new commits of a branch, and finds those that lost rating."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from bots.errors import SpecError
from db.records.night import NightQuestion, NightVerdict, SkippedCommit
from db.records.runs import RunKind
from db.store import Store
from ladder.cli.database import open_draft, open_or_preview, open_store
from ladder.cli.html_file import check_html, write_finding
from ladder.cli.options import (
    DEFAULT_DATABASE,
    BotNames,
    Database,
    Elo,
    Games,
    Hours,
    number,
    whole,
)
from ladder.cli.output import check_writable, print_error, print_finding_or_json, publish
from ladder.cli.parsing import parse_names
from ladder.cli.playing import experiment_context, open_to_play, plan_and_play
from ladder.cli.run_options import RunOptions
from ladder.cli.stored_specs import commit_source, trial_bounds
from ladder.errors import UsageError
from ladder.experiments.bisect.history import read_history
from ladder.experiments.bisect.result import BisectResult
from ladder.experiments.bisect.search import BisectQuestion
from ladder.experiments.bisect.session import Bisection, BisectSession, prepare
from ladder.experiments.nightly.commits import (
    DIGITS,
    CommitLine,
    examine_commit,
    read_line,
    skipped,
)
from ladder.experiments.nightly.session import (
    NightOutcome,
    PlannedNight,
    plan_night,
    play_night,
)
from ladder.registry.registration import save_bot
from ladder.runs.pairings import GATE, Pairing
from ladder.runs.settings import RunSettings
from reports.findings.nightly import nightly_finding, with_bisections
from reports.layout.format import annotation

NIGHT_H = 8.0
"""Hours of a night without --hours and --games."""
MOST_BISECTED = 20_000
"""Most games of a bisection."""
FEWEST = 200
"""Games below which a bisection in the time that is left is not worth its start."""


def nightly(
    *,
    spec: str,
    branch: str = "HEAD",
    build: str = "",
    python: str | None = None,
    repository: Path | None = None,
    commits: Annotated[int, whole(1, 1000)] = 5,
    against: BotNames | None = None,
    max_drop: Elo = 20.0,
    until_error: Annotated[float, number(0, 1000)] | None = None,
    games: Games | None = None,
    hours: Hours | None = None,
    bisect: bool = False,
    options: RunOptions,
    junit: Path | None = None,
    summary: Path | None = None,
    html: Path | None = None,
    force: bool = False,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """Play the new commits of a branch, and name those that lost.

    Each new commit is stored as MYBOT@1a2b3c4, based on the stored one before it, and plays against
    that, the newest tag, the best commit and --against until it is known whether it has lost more
    than --max-drop. The games count in the rating list. The same command resumes after any stop,
    and the next night it continues with what is new or undecided. docs/nightly.md has a cron line.

    Exit codes: 0 no drop, or nothing new; 3 a commit lost rating; 4 undecided; 5 bots or the
    machine fail too often; 2 bad input; 130 stopped by Ctrl-C, with all pairs stored.

    Arguments:
      SPEC: Specification of the bot as for `ladder bots add`, such as 'exec:./mybot'.

    Commits:
      --branch REF: Branch, tag or commit whose first parents are compared. [what is checked out]
      --build COMMAND: Command that builds each commit, run by sh in a copy of its files.
      --repository FOLDER: Folder of a repository in which SPEC is read. [the current folder]
      --commits N: Most commits to store at a time, evenly spread and the newest among them.

    The test:
      --against LIST: Further opponents, separated by commas. [two built-in players near the newest
        commit]
      --max-drop ELO: Largest acceptable Elo loss of a commit.
      --until-error ELO: The 95 % error at which a commit may stay undecided. [half of --max-drop]
      --bisect: Find the commit by `ladder bisect`, in the time or games that are left, where a
        drop lies between two stored commits that are not neighbours.

    Stopping and resuming:
      --games N: Stop after N games, those before an interruption included.
      --hours H: Stop after H hours of play, those before an interruption included. [8, without
        --games]

    Database and output:
      --summary FILE.md: Write the result as Markdown too.

    Example:
      ladder nightly 'exec:./mybot' --build make --branch main --time 100ms --html night.html
    """
    check_writable(junit, "--junit")
    check_writable(summary, "--summary")
    check_html(html, force=force)
    source = commit_source(spec, repository, python=python, build=build)
    others = None if against is None else parse_names(against)
    question = NightQuestion(max_drop, max_drop / 2 if until_error is None else until_error)
    hours = NIGHT_H if hours is None and games is None else hours

    def settings_of(given: RunOptions) -> RunSettings:
        return given.settings(
            db=db,
            kind=RunKind.NIGHTLY,
            bots=(),
            pairing=Pairing(GATE),
            games=games,
            seconds=None if hours is None else hours * 3600,
        )

    settings_of(options)  # refuses what is wrong before a commit is built
    with open_or_preview(db) as store:
        line = read_line(store, source, branch)
    names, left_out = _store_commits(db, line, commits, options)
    options = options.for_bots(db, [*names, *(others or ())])
    settings = settings_of(options)

    def plan(store: Store) -> PlannedNight:
        return plan_night(store, line, settings, question, others, left_out)

    def play(store: Store, planned: PlannedNight) -> int:
        context = experiment_context(store, options)
        outcome = play_night(context, planned)

        def command_of(changes: Mapping[str, str]) -> str:
            return options.command_line({**options.stored, "boards": options.boards, **changes})

        def find(good: str, bad: str) -> BisectResult | None:
            left = _games_left(store, outcome, settings) if bisect else 0
            if not left:
                return None
            unrated = replace(settings, kind=RunKind.BISECT, games=None, seconds=None, rated=False)
            with trial_bounds(db, options) as confinement:
                asked = Bisection(
                    history=read_history(source, good=good, bad=bad, first_parent=True),
                    source=source,
                    question=BisectQuestion(max_drop=max_drop, max_games=left),
                    settings=unrated,
                    confinement=confinement,
                )
                prepared = prepare(store, asked, lambda _: unrated)
                return BisectSession(context, *prepared, print_error).play()

        finding = with_bisections(nightly_finding(outcome), outcome, command_of, find)
        write_finding(store, finding, outcome, html)
        print_finding_or_json(finding, json=json)
        publish(finding, annotations(outcome), junit=junit, summary=summary, quiet=json)
        return outcome.exit_code

    opened = open_to_play(db, plan)
    kept = {"repository": str(source.folder.absolute())}
    return plan_and_play(opened, plan, play, context=options.context, in_job=lambda _: kept)


def _store_commits(
    db: str, line: CommitLine, most: int, options: RunOptions
) -> tuple[list[str], list[SkippedCommit]]:
    """Store the new commits of a line; return the stored ones of it, and those left out.

    Raises:
        UsageError: no commit is stored.

    """
    with open_or_preview(db) as store:
        stored = line.stored(store.bots.all(include_retired=True))
    names, left_out = [row.name for row in stored], []
    for commit in line.choose_new(stored, most):
        try:
            with open_draft(db) as store, trial_bounds(db, options) as confinement:
                new = examine_commit(store, line, commit, confinement)
        except (UsageError, SpecError) as error:
            left_out.append(skipped(commit, error))
            print_error(f"{commit.commit[:DIGITS]} is not stored: {left_out[-1].reason}")
            continue
        with open_store(db, create=True, sync=True) as store:
            save_bot(store, new, replace=False)
        names.append(new.name)
        print_error(f"{new.name} is stored: {new.change}")
    if not names:
        problem = f"no commit of {line.branch} can play"
        raise UsageError(f"{problem}: {left_out[-1].commit[:DIGITS]}: {left_out[-1].reason}")
    return names, left_out


def _games_left(store: Store, outcome: NightOutcome, settings: RunSettings) -> int:
    """Return the games that fit into what is left of a night; 0 if too few do."""
    left, played_s = MOST_BISECTED, store.pairs.played_s(outcome.run_id or 0)
    if settings.games is not None:
        left = min(left, settings.games - outcome.games)
    if settings.seconds is not None and played_s:
        left = min(left, int((settings.seconds - played_s) * outcome.games / played_s))
    return left if left >= FEWEST else 0


def annotations(outcome: NightOutcome) -> list[str]:
    """Return an annotation for each drop, and one for undecided commits."""
    lines = [
        annotation("error", f"{row.row.name} lost rating", row.row.change)
        for row in outcome.with_verdict(NightVerdict.DROP)
    ]
    left = outcome.with_verdict(NightVerdict.UNDECIDED)
    names = ", ".join(row.row.name for row in left)
    return [*lines, *([annotation("warning", "undecided", names)] if left else [])]
