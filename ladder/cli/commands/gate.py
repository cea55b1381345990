"""`ladder gate`: tests whether a candidate is worse, or better, than its baselines."""

import contextlib
import time
from pathlib import Path
from typing import Annotated

from db.records.runs import RunKind
from db.store import Store
from engine.cache import cache_root
from ladder.cli.database import open_store
from ladder.cli.html_file import check_html, write_finding
from ladder.cli.options import (
    DEFAULT_DATABASE,
    BotName,
    BotNames,
    Chance,
    Database,
    GamesFromTwo,
    number,
)
from ladder.cli.output import check_writable, print_error, print_finding_or_json, publish
from ladder.cli.playing import experiment_context, open_to_play, plan_and_play
from ladder.cli.run_options import RunOptions
from ladder.cli.stored_specs import name_of, print_former_run, report_changed_origins, store_specs
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import GateResult, Verdict
from ladder.experiments.gate.session import (
    GateOutcome,
    GateTask,
    find_answer,
    gate_pairing,
    gate_task,
    judge_stored,
    play_gate,
)
from ladder.openings.openings_file import has_shipped
from ladder.registry.from_spec import SpecRules
from ladder.registry.same_bot import refuse_stale
from ladder.registry.specs.targets import split_list
from ladder.runs.lineup import Lineup, line_up
from ladder.runs.settings import ResumePolicy, RunSettings
from ladder.stats.sprt import Model, State
from reports.findings.gate import expected_lines, gate_finding
from reports.layout.format import annotation

MAX_GAMES = 3000


def gate(
    *,
    candidate: BotName,
    against: BotNames,
    max_drop: Annotated[float, number(0, 1000, with_low=True)] | None = None,
    min_gain: Annotated[float, number(0, 1000, with_low=True)] = 0.0,
    alpha: Chance = 0.05,
    beta: Chance = 0.05,
    max_games: GamesFromTwo = MAX_GAMES,
    model: Model = Model.LOGISTIC,
    stored: bool = False,
    as_stored: bool = False,
    new: bool = False,
    based_on: str | None = None,
    new_version: bool = False,
    rated: bool = False,
    options: RunOptions,
    junit: Path | None = None,
    summary: Path | None = None,
    html: Path | None = None,
    force: bool = False,
    db: Database = DEFAULT_DATABASE,
    verbose: bool = False,
    json: bool = False,
) -> int:
    """Test whether a candidate is worse, or better.

    Games are played until a sequential test (SPRT) decides whether the candidate has lost more Elo
    than --max-drop allows or, with --min-gain, whether it is better at all. They are stored, and do
    not count in the rating list unless --rated is given. An interrupted gate is resumed by the
    same command. After a verdict the same command with the same --seed shows it again; without, or
    with --new, it plays further pairs and decides from these alone.

    Exit codes: 0 pass; 3 regression, or no gain; 4 inconclusive; 5 invalid, because a bot fails too
    often or the machine stalls; 2 bad input; 130 stopped by Ctrl-C, with all pairs stored.

    Arguments:
      CANDIDATE: Registered bot to test, or a specification, which is stored first.

    The test:
      --against BASELINE[,B2]: Registered bots or specifications that the candidate is compared
        with. It must pass against all.
      --max-drop ELO: Largest acceptable Elo loss. [20, or 0 with --min-gain]
      --min-gain ELO: Ask whether CANDIDATE is better at all, by a test that is made to find a gain
        of ELO. [ask whether it is worse]
      --stored: Play nothing and decide from the games in the database, in their order and as far as
        the test needs them.
      --as-stored: Test the stored version of CANDIDATE even if its original files have changed.

    Database and output:
      --summary FILE.md: Write the verdict as Markdown too.

    Example:
      ladder gate mybot --against v12 --max-drop 20
    """
    test = GateTest(
        max_drop=(0.0 if min_gain else 20.0) if max_drop is None else max_drop,
        min_gain=min_gain,
        alpha=alpha,
        beta=beta,
        max_games=max_games,
        model=model,
    )
    check_writable(junit, "--junit")
    check_writable(summary, "--summary")
    check_html(html, force=force)
    outputs = tuple(each for each in (junit, summary, html) if each is not None)
    rules = SpecRules(based_on, is_new=new_version, is_strict=True, outputs=outputs)
    baselines = split_list(against)
    named = store_specs(db, [candidate, *baselines], options, rules)
    is_named, candidate = candidate not in named, name_of(named, candidate)
    against = ",".join(name_of(named, word) for word in baselines)
    pairing = gate_pairing(candidate, against, rated=rated)
    if candidate in pairing.against:
        print_error(f"a control: {candidate} plays against itself, so the true difference is 0 Elo")
    options = options.for_bots(db, (candidate, *pairing.against))
    settings = options.settings(
        db=db,
        kind=RunKind.GATE,
        bots=tuple(dict.fromkeys((candidate, *pairing.against))),
        pairing=pairing,
        games=test.games,
        rated=rated,
        resume_policy=ResumePolicy.NEVER if new else ResumePolicy.AUTO,
        kept={"candidate": candidate, "against": against},
    )

    def plan(store: Store) -> tuple[GateTask, Lineup | None]:
        task = gate_task(store, settings, test)
        if is_named and not as_stored:
            refuse_stale(store, task.candidate, outputs)
        return task, None if stored else line_up(store, settings, task.bots)

    def decide(store: Store, task: GateTask, lineup: Lineup | None) -> GateOutcome:
        if lineup is None:
            return judge_stored(store, task)
        answer = find_answer(store, task)
        if answer is not None:
            return answer
        report_changed_origins(store, task.bots)
        remedy = "to continue it, write {name} in place of the specification"
        print_former_run(store, named, RunKind.GATE, remedy)
        for line in expected_lines(test, len(task.baselines)):
            print_error(line)
        return play_gate(experiment_context(store, options), task, lineup)

    def play(store: Store, planned: tuple[GateTask, Lineup | None]) -> int:
        gated = decide(store, *planned)
        finding = gate_finding(gated)
        write_finding(store, finding, gated, html)
        print_finding_or_json(finding, json=json, verbose=verbose)
        propose_openings(settings, gated.result)
        publish(finding, annotations(gated), junit=junit, summary=summary, quiet=json)
        return gated.exit_code

    opened = open_store(db, create=False) if stored else open_to_play(db, plan)
    kept = {"candidate": candidate, "against": against, "as_stored": True, "based_on": None}
    return plan_and_play(opened, plan, play, context=options.context, in_job=lambda _: kept)


def annotations(gated: GateOutcome) -> list[str]:
    """Return an annotation for each lost baseline, or for a gate without a decision."""
    result = gated.result
    if result.verdict is Verdict.INVALID:
        return [annotation("error", f"{result.candidate}: the gate is invalid", result.reason)]
    if result.verdict is Verdict.INCONCLUSIVE:
        return [annotation("warning", f"{result.candidate}: no decision", result.reason)]
    found = "is not better" if result.test.is_better else "is worse"
    return [
        annotation("error", f"{result.candidate} {found} than {baseline.name}", result.reason)
        for baseline in result.baselines
        if baseline.state is State.ACCEPT_H0
    ]


FEWEST_PAIRS = 20
"""Pairs from which their results show whether balanced openings pay."""
DAY_S = 86_400.0


def propose_openings(settings: RunSettings, result: GateResult) -> None:
    """Propose the shipped openings after a gate in which at least half of the pairs were tied.

    The hint is printed once a day at most, and not if openings were chosen.
    """
    has_chosen = settings.openings is not None or settings.opening_plies is not None
    pairs = sum(each.record.pairs for each in result.baselines)
    tied = sum(each.record.pentanomial[2] for each in result.baselines)
    pays = pairs >= FEWEST_PAIRS and 2 * tied >= pairs
    if has_chosen or not pays or not all(map(has_shipped, settings.boards)):
        return
    if _is_due():
        print_error(
            f"hint: {tied} of {pairs} pairs were tied; with --openings balanced fewer are, which "
            "takes fewer games; its games are a division of their own"
        )


def _is_due() -> bool:
    """Return whether the last hint is a day old, and remember this one."""
    mark = cache_root() / "opening-hint"
    with contextlib.suppress(OSError):
        if time.time() - mark.stat().st_mtime < DAY_S:
            return False
    with contextlib.suppress(OSError):  # without a cache folder each gate may give the hint
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    return True
