"""Stored tunings: steps, estimate and gate."""

from db.records.runs import RunKind, RunRow, RunStatus
from db.store import Store
from ladder.errors import UsageError
from ladder.experiments.engine import MEANINGLESS, UNFINISHED
from ladder.experiments.gate.stored import outcome_of, trial_of
from ladder.experiments.tune.parameters import read_parameters
from ladder.experiments.tune.session import TuningOutcome
from ladder.experiments.tune.task import gate_note
from ladder.experiments.tune.template import Template
from ladder.runs.resumable import TUNING


def tuning_of(store: Store, run: RunRow, status: RunStatus) -> TuningOutcome | None:
    """Return a stored tuning; None if its search is not readable.

    Args:
        store: The open database.
        run: A run of the kind `tune`.
        status: The present status of the run.

    """
    try:
        kept = run.settings[TUNING]
        parameters = [each.starting_at(None) for each in read_parameters(kept["parameters"])]
        template, games = Template(str(kept["spec"]), tuple(parameters)), int(kept["games"])
    except (KeyError, TypeError, ValueError, UsageError):
        return None
    steps = store.tuning_steps.of_run(run.id)
    gates = [gate for gate in store.runs.find(kind=RunKind.GATE) if gate.note == gate_note(run.id)]
    return TuningOutcome(
        template,
        games,
        store.divisions.find(str(run.division_id)).label,
        run,
        steps,
        steps[-1].estimate if steps else template.start,
        outcome_of(store, trial_of(store, gates[0])) if gates else None,
        invalid=MEANINGLESS if status is RunStatus.INVALID else "",
        unfinished=UNFINISHED.get(status, UNFINISHED[RunStatus.INTERRUPTED]),
    )
