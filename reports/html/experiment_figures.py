"""Figures of gates, selections, bisections and tunings."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from db.records.runs import TuningStepRow
from ladder.experiments.gate.result import GateResult
from ladder.experiments.gate.session import GateOutcome
from ladder.experiments.stored import RunResult
from ladder.experiments.tune.parameters import Parameter
from ladder.experiments.tune.session import TuningOutcome
from reports.html.charts import (
    GAINED,
    INK,
    LOST,
    Axis,
    Row,
    line_chart,
)
from reports.html.figures import Figure, Table, table_of

MOMENTS = 150
"""Largest number of steps in a chart."""
TABLED = 12
"""Largest number of rows in a table of progress."""
GAMES = Axis("games", "games")
Record = TypeVar("Record")


def figures_of(result: RunResult) -> list[Figure]:
    """Return the values of each parameter of a tuning over the games of the search."""
    if not isinstance(result, TuningOutcome):
        return []
    steps = _moments(result.steps)
    return [
        _parameter_figure(each, place, steps)
        for place, each in enumerate(result.template.parameters)
    ]


def folded_figures_of(result: RunResult) -> list[Figure]:
    """Return the figures of the test of a gate, or of that of a tuning."""
    gated = result.gated if isinstance(result, TuningOutcome) else result
    if not isinstance(gated, GateOutcome) or not gated.result.games:
        return []
    return [llr_figure(gated.result, "llr")]


def llr_figure(result: GateResult, name: str) -> Figure:
    """Return the figure of the LLR history against each baseline."""
    sprt = result.deciding.sprt
    rows = [
        {"name": baseline.name, "pair": pair, "llr": round(ratio, 3)}
        for baseline in result.baselines
        for pair, ratio in baseline.llr_history
    ]
    bounds = (
        (sprt.lower, f"failed below {sprt.lower:.2f}", LOST),
        (sprt.upper, f"passed above {sprt.upper:.2f}", GAINED),
    )
    return Figure(
        name=name,
        label=f"Log-likelihood ratio over the pairs, between {sprt.lower:.2f} and {sprt.upper:.2f}",
        caption="Log-likelihood ratio over the pairs",
        table=table_of(_few(rows), ("against", "name"), ("#pair", "pair"), ("#LLR", "llr", ",.2f")),
        spec=line_chart(
            rows,
            Axis("pair", "pairs"),
            Axis("llr", "LLR", ".2f"),
            is_stepped=True,
            bounds=bounds,
        )
        if rows
        else None,
    )


def _moments(steps: Sequence[TuningStepRow]) -> list[tuple[int, TuningStepRow]]:
    """Return evenly spaced steps with the number of games until then; the last one is included."""
    games = np.cumsum([step.games for step in steps])
    places = np.linspace(0, len(steps) - 1, min(len(steps), MOMENTS)).round().astype(int)
    return [(int(games[place]), steps[place]) for place in np.unique(places)] if steps else []


def _parameter_figure(
    each: Parameter, place: int, steps: Sequence[tuple[int, TuningStepRow]]
) -> Figure:
    rows = [
        {
            "name": each.name,
            "games": games,
            "value": step.estimate[each.name],
            "low": min(step.a[each.name], step.b[each.name]),
            "high": max(step.a[each.name], step.b[each.name]),
        }
        for games, step in steps
    ]
    scale = {"type": "log"} if each.is_log else None
    axis, start = Axis("value", each.name, ".4~g", scale), [(each.start, "", INK)]
    return Figure(
        name=f"parameter-{place}",
        label=f"{each.name} over the games of the search, with the two values of each step",
        caption=f"{each.name} over the games, with the two values that played",
        table=_progress_table(rows, "value", ".4g"),
        spec=line_chart(rows, GAMES, axis, bounds=start, height=180) if rows else None,
    )


def _progress_table(rows: Sequence[Row], value: str, form: str) -> Table:
    columns = (("#games", "games"), *((f"#{key}", key, form) for key in (value, "low", "high")))
    return table_of(_few(rows), *columns)


def _few(rows: Sequence[Record]) -> Sequence[Record]:
    """Return evenly spaced rows; the last one is included."""
    return rows[:: -max(-(-len(rows) // TABLED), 1)][::-1]


def training_figures(document: Mapping[str, Any]) -> list[Figure]:
    """Return the figure of a training of the evaluation, from the document of its finding."""
    rows = [
        {"generation": each["generation"], "name": name, "loss": round(each[key], 4)}
        for each in document["generations"]
        for name, key in (("evaluation", "held_out_loss"), ("search", "searched_loss"))
    ]
    loss = Axis("loss", "cross-entropy, nats", ".4f")
    return [
        Figure(
            name="losses",
            label="Cross-entropy on held-out games by generation, of evaluation and search",
            caption="Held-out games of each generation",
            spec=line_chart(rows, Axis("generation", "generation"), loss),
        )
    ]
