"""The page of a tuning: the gate's verdict, the values, and the expected gain."""

from collections.abc import Sequence

import numpy as np

from db.records.tuning import TuningStepRow
from ladder.experiments.gate.result import Verdict
from ladder.experiments.tune.parameters import Parameter, ParameterValues, Scale, point_of
from ladder.experiments.tune.session import TuningOutcome
from ladder.experiments.tune.surface import Surface
from ladder.results.standings.showcase import ShownGame
from reports.gate.text import remarks
from reports.html.charts.tune import gain_chart, parameter_chart
from reports.html.figures import Figure, table_of_rows
from reports.html.gate import estimates_table, pairs_figure
from reports.html.page import render
from reports.html.sections.failures import failures
from reports.html.sections.trials import COLOURS, llr_figure
from reports.html.sections.verdict import machine_facts
from reports.html.tables import Cell, Table, headings
from reports.html.viewer import viewer_game
from reports.html.words import as_sentence
from reports.tune import gain_of, reason_of

MOMENTS = 150
"""Largest number of steps in a chart."""
TABLED = 12
"""Largest number of rows in a chart's table."""
SECTIONS = (
    ("verdict", "Verdict"),
    ("parameters", "Parameters"),
    ("gain", "Expected gain"),
    ("gate", "Gate"),
    ("failures", "Failures"),
    ("games-section", "Games"),
)


def tune_page(tuned: TuningOutcome, games: Sequence[ShownGame]) -> str:
    """Return the page as HTML.

    Args:
        tuned: the tuning, finished or not.
        games: games of the tuned bot in the gate, for the replay viewer.

    """
    parameters, gated = tuned.task.template.parameters, tuned.gated
    result = None if gated is None or not gated.result.games else gated.result
    word = Verdict.INVALID.value if tuned.invalid else "no verdict"
    if result is not None:
        word = result.verdict.value
    shown = parameter_figures(parameters, tuned.steps)
    gain = gain_figure(parameters, tuned.steps)
    gate_figures = [] if result is None else [llr_figure(result, "llr"), pairs_figure(result)]
    viewed = [viewer_game(one.game, one.reason.value) for one in games]
    return render(
        "tune.html.j2",
        charts=(*shown, gain, *gate_figures),
        games=viewed,
        title=f"{word}: tuning of {tuned.task.template.spec}",
        heading=f"Is {tuned.task.template.spec} better with other numbers?",
        word=word,
        colour=COLOURS.get(word, "undecided"),
        reason=as_sentence(reason_of(tuned)),
        remarks=[]
        if gated is None or result is None
        else [as_sentence(one) for one in remarks(gated)],
        sections=SECTIONS,
        warnings=_warnings(tuned),
        facts=_facts(tuned),
        values=values_table(parameters, tuned.estimate),
        parameters=shown,
        gain=gain,
        gate_figures=gate_figures,
        estimates=None if result is None else estimates_table(result.baselines),
        failures_shown=failures(games),
        shown=f"This file has {len(viewed):,} games that the tuned bot lost in the gate."
        if viewed
        else "",
    )


def _warnings(tuned: TuningOutcome) -> list[str]:
    found = []
    if tuned.gated is None and not tuned.invalid:
        found.append("The search was stopped; the same command resumes it.")
    if tuned.gated is not None and tuned.gated.stopped:
        found.append("The gate was stopped before a decision; the same command resumes it.")
    if tuned.forfeits:
        found.append(f"{tuned.forfeits:,} of {tuned.games:,} games of the search were forfeited.")
    return found


def _facts(tuned: TuningOutcome) -> list[tuple[str, str]]:
    task, gain = tuned.task, gain_of(tuned)
    facts = [
        ("Tuned", task.template.spec_at(tuned.estimate)),
        ("Original", task.template.original),
        ("Division", tuned.conditions),
        ("Search", f"{tuned.games:,} of {task.games:,} games, {task.pairs} pairs a step"),
        ("Seed", str(tuned.run.seed)),
        ("Gain expected by the search", f"{gain.elo:+.0f} ± {gain.error95:.0f} Elo"),
    ]
    if tuned.gated is not None:
        result = tuned.gated.result
        facts.append(("Games of the gate", f"{result.games:,} of at most {result.test.games:,}"))
    if tuned.kept is not None:
        state = "registered" if tuned.kept.is_registered else "not registered"
        facts.append((tuned.kept.name, f"{state}: {tuned.kept.reason}"))
    return [*facts, *machine_facts()]


def values_table(parameters: Sequence[Parameter], estimate: ParameterValues) -> Table:
    """Return the table of parameters with their values before and after."""
    return Table(
        headings("parameter", "#start", "#tuned", "#lowest", "#highest", "kind"),
        [
            (
                Cell(each.name),
                *(
                    Cell(each.text(value), value)
                    for value in (each.start, estimate[each.name], each.low, each.high)
                ),
                Cell(f"{each.kind.value}, {each.scale.value}"),
            )
            for each in parameters
        ],
    )


def _moments(steps: Sequence[TuningStepRow]) -> list[tuple[int, TuningStepRow]]:
    """Return evenly spaced steps with the number of games until then; the last one is included."""
    games = np.cumsum([step.games for step in steps])
    places = np.linspace(0, len(steps) - 1, min(len(steps), MOMENTS)).round().astype(int)
    return [(int(games[place]), steps[place]) for place in np.unique(places)] if steps else []


def parameter_figures(
    parameters: Sequence[Parameter], steps: Sequence[TuningStepRow]
) -> list[Figure]:
    """Return a figure for each parameter: its value over the games of the search."""
    return [_parameter_figure(each, place, steps) for place, each in enumerate(parameters)]


def _parameter_figure(each: Parameter, place: int, steps: Sequence[TuningStepRow]) -> Figure:
    rows = [
        {
            "games": games,
            "value": step.estimate[each.name],
            "low": min(step.a[each.name], step.b[each.name]),
            "high": max(step.a[each.name], step.b[each.name]),
        }
        for games, step in _moments(steps)
    ]
    is_log = each.scale is Scale.LOG
    return Figure(
        name=f"parameter-{place}",
        label=f"{each.name} over the games of the search, with the two values of each step",
        caption=f"{each.name} over the games, with the two values that played",
        table=Table(
            headings("#games", "#value", "#low", "#high"),
            [
                (
                    Cell(f"{row['games']:,}", row["games"]),
                    *(Cell(f"{row[key]:.4g}", row[key]) for key in ("value", "low", "high")),
                )
                for row in _few(rows)
            ],
        ),
        spec=parameter_chart(rows, each.name, start=each.start, is_log=is_log) if rows else None,
    )


def gain_figure(parameters: Sequence[Parameter], steps: Sequence[TuningStepRow]) -> Figure:
    """Return the figure of the expected gain over the games of the search."""
    surface, rows = Surface(parameters, steps), []
    for games, step in _moments(steps):
        gain = surface.gain(point_of(parameters, step.estimate))
        ends = {"low": gain.elo - gain.error95, "high": gain.elo + gain.error95}
        rows.append({"games": games, "elo": gain.elo, **ends})
    rows = [
        {key: round(value, 2) if key != "games" else value for key, value in row.items()}
        for row in rows
    ]
    return Figure(
        name="gain",
        label="Expected Elo gain over the start, with its 95 % band",
        caption="Expected gain over the games",
        table=table_of_rows(("#games", "#elo", "#low", "#high"), _few(rows)),
        spec=gain_chart(rows) if rows else None,
    )


def _few(rows: list[dict[str, float]]) -> list[dict[str, float]]:
    """Return evenly spaced rows; the last one is included."""
    return rows[:: -max(len(rows) // TABLED, 1)][::-1]
