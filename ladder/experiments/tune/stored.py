"""Stored tunings: steps, estimate and gate."""

from collections.abc import Sequence
from dataclasses import dataclass

from db.records.runs import RunKind, RunRow
from db.records.tuning import TuningStepRow
from db.store import Store
from ladder.errors import UsageError
from ladder.experiments.gate.stored import HeadToHead, trial_of
from ladder.experiments.tune.parameters import Parameter, ParameterValues, read_parameters
from ladder.experiments.tune.task import gate_note
from ladder.runs.resumable import TUNING


@dataclass(frozen=True, slots=True)
class StoredTuning:
    """A stored tuning."""

    spec: str
    parameters: Sequence[Parameter]
    steps: Sequence[TuningStepRow]
    games: int
    """Planned games of the search."""
    gate: HeadToHead | None
    """The gate of the tuned bot against the original; None before it begins."""

    @property
    def estimate(self) -> ParameterValues:
        """The present estimate of the search."""
        start = {each.name: each.start for each in self.parameters}
        return self.steps[-1].estimate if self.steps else start


def tuning_of(store: Store, run: RunRow) -> StoredTuning | None:
    """Return a stored tuning; None if its search is not readable."""
    try:
        kept = run.settings[TUNING]
        parameters = [each.starting_at(None) for each in read_parameters(kept["parameters"])]
        spec, games = str(kept["spec"]), int(kept["games"])
    except (KeyError, TypeError, ValueError, UsageError):
        return None
    gates = [gate for gate in store.runs.find(kind=RunKind.GATE) if gate.note == gate_note(run.id)]
    gate = trial_of(store, gates[0]) if gates else None
    return StoredTuning(spec, parameters, store.tuning_steps.of_run(run.id), games, gate)
