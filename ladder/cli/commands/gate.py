"""`ladder gate`: tests whether a candidate is worse, or better, than its baselines."""

from pathlib import Path
from typing import Annotated

from db.records.runs import RunKind
from db.store import Store
from ladder.cli.database import open_store
from ladder.cli.gate_files import publish
from ladder.cli.html_file import check_html, write_finding
from ladder.cli.opening_hint import propose_openings
from ladder.cli.options import (
    DEFAULT_DATABASE,
    BotName,
    BotNames,
    Chance,
    Database,
    GamesFromTwo,
    number,
)
from ladder.cli.output import check_writable, print_error, show_finding
from ladder.cli.playing import experiment_context, open_to_play, plan_and_play
from ladder.cli.run_options import RunOptions
from ladder.cli.stored_specs import name_of, print_former_run, report_changed_origins, store_specs
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.session import (
    GateOutcome,
    GateTask,
    find_answer,
    gate_pairing,
    gate_task,
    judge_stored,
    play_gate,
)
from ladder.match.registry.origin import refuse_stale
from ladder.runs.settings import ResumePolicy
from ladder.runs.start import check_possible
from ladder.stats.choices import Model
from reports.findings.gate import expected_lines, gate_finding

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
    """Test whether a candidate is worse, or better, and stop as soon as it is known.

    Games are played until a sequential test (SPRT) decides whether the candidate has lost more Elo
    than --max-drop allows or, with --min-gain, whether it has won that much. They are stored, and
    do not count in the rating list unless --rated is given. An interrupted gate is resumed by the
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
      --min-gain ELO: Ask whether CANDIDATE is better: the smallest gain that must be found. [ask
        whether it is worse]
      --stored: Play nothing and decide from the games in the database.
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
    named = store_specs(db, [candidate, *against.split(",")], options, based_on)
    is_named, candidate = candidate not in named, name_of(named, candidate)
    against = ",".join(name_of(named, word) for word in against.split(","))
    pairing = gate_pairing(candidate, against, rated=rated)
    settings = options.settings(
        db=db,
        kind=RunKind.GATE,
        bots=tuple(dict.fromkeys((candidate, *pairing.against))),
        pairing=pairing,
        games=test.games,
        rated=rated,
        resume_policy=ResumePolicy.NEVER if new else ResumePolicy.AUTO,
    )

    def plan(store: Store) -> GateTask:
        task = gate_task(store, settings, test)
        if is_named and not as_stored:
            refuse_stale(store, task.candidate)
        if not stored:
            check_possible(store, settings, task.bots)
        return task

    def decide(store: Store, task: GateTask) -> GateOutcome:
        if stored:
            return judge_stored(store, task)
        answer = find_answer(store, task)
        if answer is not None:
            return answer
        report_changed_origins(store, task.bots)
        remedy = "to continue it, write {name} in place of the specification"
        print_former_run(store, named, RunKind.GATE, remedy)
        for line in expected_lines(test, len(task.baselines)):
            print_error(line)
        return play_gate(experiment_context(store, options), task)

    def play(store: Store, task: GateTask) -> int:
        gated = decide(store, task)
        finding = gate_finding(gated)
        write_finding(store, finding, gated, html)
        show_finding(finding, json=json, verbose=verbose)
        propose_openings(settings, gated.result)
        publish(gated, finding, junit=junit, summary=summary, quiet=json)
        return gated.exit_code

    opened = open_store(db, create=False) if stored else open_to_play(db, plan)
    return plan_and_play(opened, plan, play)
