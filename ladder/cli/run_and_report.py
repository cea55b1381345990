"""What `run` and `match` share: play, show progress, and print the result."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

from db.records.bots import BotRow
from db.records.runs import DivisionRow, RunKind, RunRow, RunStatus
from db.store import Store
from ladder.cli.database import is_missing
from ladder.cli.output import (
    print_error,
    print_finding_or_json,
    print_out,
    stderr_console,
    stdout_console,
)
from ladder.cli.playing import is_planning_only, open_to_play, plan_and_play
from ladder.cli.run_options import RunOptions
from ladder.cli.stored_specs import report_changed_origins
from ladder.errors import ExitCode, UsageError
from ladder.experiments.kept import ended_run
from ladder.experiments.match import match_of
from ladder.results.standings.division import read_division, standings_of_division, standings_of_run
from ladder.results.standings.head_to_head import HeadToHead
from ladder.results.standings.standings import Standings, select_bots, show_only
from ladder.runs.decision import ENDLESS, UntilError
from ladder.runs.history import past_run
from ladder.runs.lineup import Lineup, leave_out_unfit, line_up
from ladder.runs.live import RunEnding, live_run_of
from ladder.runs.resume import Resumable, finished_run, hashes_of, resumable_runs
from ladder.runs.runner import RunOutcome
from ladder.runs.settings import ResumePolicy, RunSettings
from ladder.runs.start import start_run
from ladder.web.server_beside import server_beside
from reports.findings.finding import Finding
from reports.findings.gate import match_finding
from reports.layout.format import repeated_text, to_json
from reports.layout.terminal import print_listing
from reports.report.standings import standings_document, standings_listing
from reports.run import forfeits_document, nothing_to_resume, watcher_for

Choice = Callable[[Store], Sequence[BotRow]]
"""Returns the bots of a run, which depend on what is registered."""


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run that can be played."""

    lineup: Lineup
    left_out: dict[str, str]
    """Why bots do not take part, by name."""


def play_and_report(
    db: str,
    settings: RunSettings,
    choose: Choice,
    *,
    json: bool,
    options: RunOptions,
    former: Callable[[Store], None],
    named: Collection[str] | None = None,
    is_served: bool = False,
    verbose: bool = False,
    until_error: float | None = None,
    in_job: Mapping[str, object],
) -> int:
    """Play, print the result, and return the exit code; serve web pages too if `is_served`.

    The result of a match is its score, and that of any other run the rating list. A bot that cannot
    take part is left out if it is not in `named`, and else refused; None refuses every such bot.
    `former` prints an interrupted run that the command does not resume. `in_job` is as for
    `plan_and_play`.

    Raises:
        LadderError: see `ladder.runs.start.start_run`.

    """
    if settings.resume_policy is ResumePolicy.ONLY and is_missing(db):
        return _report_nothing_to_resume((), options, json=json)

    def plan(store: Store) -> PlannedRun:
        has_end = settings.games or settings.seconds or until_error
        if is_planning_only() and not has_end:
            raise UsageError("this run would never end: give it --games, --hours or --until-error")
        bots = choose(store)
        if named is None:
            return PlannedRun(line_up(store, settings, bots), {})
        fit, left_out = leave_out_unfit(settings, bots, named)
        fitting = replace(settings, bots=tuple(bot.name for bot in fit))
        return PlannedRun(line_up(store, fitting, fit), left_out)

    def play(store: Store, planned: PlannedRun) -> int:
        former(store)
        report_changed_origins(store, planned.lineup.bots)
        for reason in planned.left_out.values():
            print_error(f"left out: {reason}")
        served = server_beside(db, settings.confinement, print_error)
        with served if is_served else nullcontext():
            until = None if until_error is None else UntilError(until_error, planned.lineup.bots)
            return _play(store, planned, options, until, json=json, verbose=verbose)

    opened = open_to_play(db, plan)
    return plan_and_play(opened, plan, play, context=options.context, in_job=lambda _: in_job)


def _stored_match(store: Store, lineup: Lineup) -> RunOutcome | None:
    """Return the finished match that was played by the same command with the same seed.

    One with fewer games than are wanted is reopened instead, to be resumed.
    """
    settings = lineup.settings
    if settings.kind is not RunKind.MATCH:
        return None
    run = finished_run(store, settings, hashes_of(lineup.bots))
    if run is None:
        return None
    live = live_run_of(store, run, settings, lineup.sides)
    if live.total_games < (settings.target_games or 0):
        store.runs.set_status(run.id, RunStatus.INTERRUPTED)
        return None
    return RunOutcome(run, RunEnding.DONE, live)


def _play(
    store: Store,
    planned: PlannedRun,
    options: RunOptions,
    until_error: UntilError | None,
    *,
    json: bool,
    verbose: bool,
) -> int:
    settings = planned.lineup.settings
    repeated = _stored_match(store, planned.lineup)
    outcome = repeated or start_run(
        store=store,
        lineup=planned.lineup,
        watcher=watcher_for(stderr_console()),
        workforce=options.workforce(),
        judge=until_error or ENDLESS,
    )
    if outcome is None:
        return _report_nothing_to_resume(resumable_runs(store), options, json=json)
    if json:
        run = outcome.run
        head = {
            "run": run.id,
            "seed": run.seed,
            "status": run.status.value,
            "games": outcome.live.total_games,
            "stalled_games": outcome.live.stalls,
            "warnings": outcome.live.warnings,
            "left_out": planned.left_out,
            "forfeits": forfeits_document(outcome.live),
        }
        report = standings_document(select_bots(standings_after(store, outcome.run)))
        document: dict[str, object] = {"run": head, "report": report}
        if settings.kind is RunKind.MATCH:
            document["match"] = _match_finding(store, outcome, settings).document
            document["repeated"] = repeated is not None
        print_out(to_json(document))
    elif settings.kind is RunKind.MATCH:
        finding = _match_finding(store, outcome, settings)
        if repeated is not None:
            note = repeated_text(outcome.run.id, outcome.run.ended_at or 0.0)
            finding = replace(finding, notes=[*finding.notes, note])
        print_finding_or_json(finding, json=False, verbose=verbose)
    else:
        standings = select_bots(standings_after(store, outcome.run))
        shown = standings_listing(show_only(standings, settings.bots))
        print_listing(stdout_console(), shown)
    if until_error is not None and until_error.errors is not None and until_error.errors.without:
        names = ", ".join(until_error.errors.without)
        print_error(f"without an error, as they won or lost all their games: {names}")
    if outcome.ending is RunEnding.STOPPED:
        return ExitCode.STOPPED
    return ExitCode.DONE


def _report_nothing_to_resume(
    others: Sequence[Resumable], options: RunOptions, *, json: bool
) -> int:
    for line in nothing_to_resume((each, options.command_line(each.options)) for each in others):
        print_error(line)
    if json:
        print_out(to_json({"run": None, "games": 0}))
    return ExitCode.DONE


def _match_finding(store: Store, outcome: RunOutcome, settings: RunSettings) -> Finding:
    run = outcome.run
    read = past_run if outcome.ending is RunEnding.STOPPED else ended_run
    met = match_of(store, read(store, run.id))
    if met is None:
        a, b = settings.bots
        met = HeadToHead(a, b)
    return match_finding(met, division_of(store, run).label)


def standings_after(store: Store, run: RunRow) -> Standings:
    """Return the standings of the run's division, or of an unrated run alone."""
    division = division_of(store, run)
    if run.rated:
        return standings_of_division(store, read_division(store, division))
    return standings_of_run(store, division, run)


def division_of(store: Store, run: RunRow) -> DivisionRow:
    """Return the division of a run."""
    return store.divisions.find(str(run.division_id))
