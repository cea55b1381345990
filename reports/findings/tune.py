"""The finding of a tuning: the values, the gain that the search expects, and the gate."""

from typing import Any

from ladder.experiments.gate.result import Verdict
from ladder.experiments.tune.parameters import Parameter
from ladder.experiments.tune.session import TuningOutcome
from ladder.names import counted
from reports.findings.finding import Case, Finding
from reports.findings.gate import gate_document, gate_finding
from reports.layout.fields import Field, Table


def tune_document(tuned: TuningOutcome) -> dict[str, Any]:
    """Return the document of `ladder tune --json`."""
    parameters = tuned.template.parameters
    return {
        "run": tuned.run.id,
        "spec": tuned.template.spec,
        "tuned_spec": tuned.template.spec_at(tuned.estimate),
        "conditions": tuned.conditions,
        "seed": tuned.run.seed,
        "parameters": {each.name: _number(each, tuned.estimate[each.name]) for each in parameters},
        "start": {each.name: _number(each, each.start) for each in parameters},
        "ranges": {
            each.name: [_number(each, end) for end in (each.low, each.high)] for each in parameters
        },
        "games": tuned.games,
        "target_games": tuned.target_games,
        "steps": len(tuned.steps),
        "forfeits": tuned.forfeits,
        "gate": None if tuned.gated is None else gate_document(tuned.gated),
        "registered": tuned.kept.name if tuned.kept and tuned.kept.is_registered else None,
        "exit_code": int(tuned.exit_code),
        "reason": reason_of(tuned),
    }


def _number(parameter: Parameter, value: float) -> float:
    return int(value) if parameter.is_int else value


def reason_of(tuned: TuningOutcome) -> str:
    """Return the outcome in a sentence."""
    if tuned.invalid:
        return tuned.invalid
    gated = tuned.gated
    if gated is None and tuned.run.verdict is None:
        return f"no gate yet: {tuned.unfinished}"
    if gated is None or (not gated.result.games and not gated.stopped):
        return "the search returned to the original setting, so there is nothing to gate"
    return gated.result.reason


def tune_finding(tuned: TuningOutcome) -> Finding:
    """Return the finding of a tuning; the numbers of its test are those of its gate."""
    gated = None if tuned.gated is None or not tuned.gated.result.games else tuned.gated
    facts = [
        ("Tuned", tuned.template.spec_at(tuned.estimate)),
        ("Original", tuned.template.original),
        ("Division", tuned.conditions),
        ("Search", f"run {tuned.run.id}, {tuned.games:,} of {tuned.target_games:,} games"),
        ("Seed", str(tuned.run.seed)),
    ]
    notes = []
    if tuned.forfeits:
        notes.append(f"{counted(tuned.forfeits, 'game')} of the search were forfeited")
    if tuned.kept is not None:
        state = "is registered" if tuned.kept.is_registered else "is not registered"
        notes.append(f"{tuned.kept.name} {state}: {tuned.kept.reason}")
    values = Table(PARAMETERS, tuned.template.parameters, tuned.estimate, "Values before and after")
    gate = None if gated is None else gate_finding(gated)
    word = "no verdict" if gate is None else gate.word
    if tuned.invalid:
        word = Verdict.INVALID.value
    return Finding(
        kind="tune",
        question=f"Is {tuned.template.spec} better with other numbers?",
        word=word,
        sentence=reason_of(tuned),
        facts=facts,
        tables=[values] if gate is None else [values, *gate.tables],
        details=[] if gate is None else gate.details,
        notes=notes if gate is None else [*gate.notes, *notes],
        names=() if gate is None else gate.names,
        document=tune_document(tuned),
        cases=[Case("the search", "error")] if gate is None else gate.cases,
    )


PARAMETERS = (
    Field("name", "parameter"),
    Field("start", "start", form="g", text=lambda each, _: each.text(each.start)),
    Field(
        head="tuned",
        form="g",
        text=lambda each, found: each.text(found[each.name]),
    ),
    Field("low", "lowest", form="g", text=lambda each, _: each.text(each.low)),
    Field("high", "highest", form="g", text=lambda each, _: each.text(each.high)),
)
"""The columns of parameters before and after; the view is the tuned values."""
