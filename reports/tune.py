"""A tuning as plain data, as text, and in play."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console, Group, RenderableType

from ladder.experiments.gate.result import Verdict
from ladder.experiments.tune.parameters import Kind, Parameter, ParameterValues, point_of
from ladder.experiments.tune.session import TuningOutcome
from ladder.experiments.tune.surface import Gain, Surface
from ladder.names import counted
from ladder.runs.progress import LiveRun, Watcher
from reports.gate.text import gate_document, gate_text
from reports.layout.format import text_of_lines, values_of
from reports.layout.progress import display_for, progress_bar
from reports.layout.table import Column, fit
from reports.run import RunView, status_line


def tune_document(tuned: TuningOutcome) -> dict[str, Any]:
    """Return the document of `ladder tune --json`."""
    parameters, gain = tuned.task.template.parameters, gain_of(tuned)
    return {
        "run": tuned.run.id,
        "spec": tuned.task.template.spec,
        "tuned_spec": tuned.task.template.spec_at(tuned.estimate),
        "conditions": tuned.conditions,
        "seed": tuned.run.seed,
        "parameters": {each.name: _number(each, tuned.estimate[each.name]) for each in parameters},
        "start": {each.name: _number(each, each.start) for each in parameters},
        "ranges": {
            each.name: [_number(each, end) for end in (each.low, each.high)] for each in parameters
        },
        "games": tuned.games,
        "target_games": tuned.task.games,
        "steps": len(tuned.steps),
        "forfeits": tuned.forfeits,
        "expected": values_of(gain, "elo", "error95", digits=2),
        "gate": None if tuned.gated is None else gate_document(tuned.gated),
        "registered": tuned.kept.name if tuned.kept and tuned.kept.is_registered else None,
        "exit_code": int(tuned.exit_code),
        "reason": reason_of(tuned),
    }


def _number(parameter: Parameter, value: float) -> float:
    return int(value) if parameter.kind is Kind.INT else value


def gain_of(tuned: TuningOutcome) -> Gain:
    """Return the gain in Elo over the start that the search expects of the tuned setting."""
    parameters = tuned.task.template.parameters
    return Surface(parameters, tuned.steps).gain(point_of(parameters, tuned.estimate))


def reason_of(tuned: TuningOutcome) -> str:
    """Return the outcome in a sentence."""
    if tuned.invalid:
        return tuned.invalid
    if tuned.gated is None:
        return "the search was stopped: the same command resumes it"
    if not tuned.gated.result.games and not tuned.gated.stopped:
        return "the search returned to the original setting, so there is nothing to gate"
    return tuned.gated.result.reason


def tune_text(tuned: TuningOutcome) -> str:
    """Return the verdict, the values, and the gain that the search expects."""
    task, gain = tuned.task, gain_of(tuned)
    lines = []
    if tuned.gated is None or not tuned.gated.result.games:
        head = Verdict.INVALID.value.upper() if tuned.invalid else "NO VERDICT"
        lines += [f"{head}: {reason_of(tuned)}", ""]
    else:
        lines += [*gate_text(tuned.gated).splitlines(), ""]
    lines += [
        f"tuning run {tuned.run.id}, seed {tuned.run.seed}: {tuned.games} of {task.games} games of "
        f"{task.template.spec} on {tuned.conditions}",
        *(f"  {line}" for line in parameter_lines(task.template.parameters, tuned.estimate)),
        f"tuned: {task.template.spec_at(tuned.estimate)}",
        f"the search expects {gain.elo:+.0f} ± {gain.error95:.0f} Elo; the gate decides",
    ]
    if tuned.forfeits:
        lines.append(f"forfeited in the search: {counted(tuned.forfeits, 'game')}")
    if tuned.kept is not None:
        state = "is registered" if tuned.kept.is_registered else "is not registered"
        lines.append(f"{tuned.kept.name} {state}: {tuned.kept.reason}")
    return text_of_lines(lines)


def parameter_lines(parameters: Sequence[Parameter], values: ParameterValues) -> list[str]:
    """Return a line for each parameter: start, current value and range."""
    width = max(len(each.name) for each in parameters)
    return [
        f"{each.name:<{width}}  {each.text(each.start)} -> {each.text(values[each.name])}  "
        f"(range {each.text(each.low)} .. {each.text(each.high)})"
        for each in parameters
    ]


def tuning_watcher(console: Console, parameters: Sequence[Parameter]) -> Watcher:
    """Return a live view if the console can redraw, else log lines."""
    return display_for(console, TuningView(parameters))


class TuningView(RunView):
    """The steps of a tuning as a `reports.layout.progress.View`."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self._parameters = parameters

    def name(self, live: LiveRun) -> str:
        """Return the run, such as ``tuning run 3``."""
        return f"tuning {super().name(live)}"

    def status(self, live: LiveRun) -> str:
        """Return games played, speed and time left in one line."""
        return f"{status_line(live)} before the gate"

    def summary(self, live: LiveRun) -> list[str]:
        """Return the status and the current values."""
        return [self.log(live)]

    def log(self, live: LiveRun) -> str:
        """Return the status and the current values."""
        values = ", ".join(
            f"{each.name} {each.text(live.estimate[each.name])}" for each in self._parameters
        )
        return f"{status_line(live)}; {values}"

    def picture(self, live: LiveRun, width: int, height: int) -> RenderableType:
        """Return a progress bar, and each parameter with its start and range."""
        shown = self._parameters[: max(0, height - 2)]
        columns = [
            Column("parameter", [each.name for each in shown], number=False),
            Column("start", [each.text(each.start) for each in shown]),
            Column("now", [each.text(live.estimate[each.name]) for each in shown]),
            Column("lowest", [each.text(each.low) for each in shown], level=1),
            Column("highest", [each.text(each.high) for each in shown], level=1),
        ]
        bar = progress_bar(live.total_games, live.target_games or 1, width)
        return Group(bar, fit(columns, width).table())
