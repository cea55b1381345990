"""Tunings as records, for pages and documents."""

from pathlib import Path

from db.records.runs import RunKind, RunRow, RunStatus, TuningStepRow
from engine.board_class import BoardClass
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.session import GateOutcome
from ladder.experiments.tune.bots import Registration
from ladder.experiments.tune.parameters import template_of
from ladder.experiments.tune.session import TuningOutcome, TuningTask
from ladder.experiments.tune.spsa import Spsa
from ladder.runs.budgets import Budgets
from ladder.runs.pairings import RANDOM, Pairing
from ladder.runs.settings import RunSettings
from tests.support.unconfined import UNCONFINED

TUNED_SPEC = "builtin:v18"
PARAMETERS = ("c=0.2..1.2:log", "careful=0..256:int")


def a_tuning(
    steps: int, gated: GateOutcome | None, *, kept: Registration | None = None
) -> TuningOutcome:
    """Return a tuning of two parameters in which the first setting of a step wins sometimes."""
    settings = RunSettings(
        bots=(),
        boards=(BoardClass("6x7"),),
        budgets=Budgets({"simulations": 20}),
        pairing=Pairing(RANDOM),
        games=4 * 40,
        confinement=UNCONFINED,
        kind=RunKind.TUNE,
        rated=False,
    )
    task = TuningTask(
        template=template_of(TUNED_SPEC, PARAMETERS),
        settings=settings,
        pairs=2,
        test=GateTest(max_drop=20),
        folder=Path(),
    )
    search, rows = Spsa(task.template.parameters, steps=task.steps, seed=1), []
    for step in range(1, steps + 1):
        a, b = search.propose()
        search.add_result(2 * (a["c"] > b["c"]))
        rows.append(
            TuningStepRow(
                step=step,
                a=a,
                b=b,
                pentanomial=(0, 0, 1, 0, 1) if a["c"] > b["c"] else (0, 0, 2, 0, 0),
                forfeits=step == 1,
                estimate=search.estimate,
                duration_us=9,
            )
        )
    run = RunRow(
        *(RunKind.TUNE, False, "s", "i", {}, 1, 1, task.games, ""),
        id=3,
        status=RunStatus.FINISHED,
        started_at=0.0,
        ended_at=1.0,
        verdict=None,
    )
    return TuningOutcome(
        task.template, task.games, task.conditions, run, rows, search.estimate, gated, kept
    )
