"""Figures of selections, bisections and tunings."""

from collections.abc import Sequence

import numpy as np

from db.records.runs import TuningStepRow
from ladder.experiments.bisect.result import BisectResult, TriedCommit
from ladder.experiments.select.session import SelectionOutcome
from ladder.experiments.tune.parameters import Parameter
from ladder.experiments.tune.session import TuningOutcome
from ladder.stats.elo import EloEstimate
from reports.findings.bisect import SHORT, VERDICTS
from reports.findings.select import verdict_on
from reports.html.charts.experiments import interval_chart
from reports.html.charts.tune import parameter_chart
from reports.html.figures import Figure
from reports.html.tables import Cell, Table, headings
from reports.layout.elo import elo_words

MOMENTS = 150
"""Largest number of steps in a chart."""
TABLED = 12
"""Largest number of rows in a table of progress."""


def selection_figures(selected: SelectionOutcome) -> list[Figure]:
    """Return the Elo of all bots against the best."""
    return [_players_figure(selected)]


def _players_figure(selected: SelectionOutcome) -> Figure:
    rows = [
        {
            "name": each.name,
            "elo": each.elo,
            "low": each.elo - each.error95,
            "high": each.elo + each.error95,
            "label": f"{each.elo:+.0f} ± {each.error95:.0f}",
            "verdict": verdict_on(selected, each),
        }
        for each in selected.players
        if each.elo is not None and each.error95 is not None
    ]
    return Figure(
        name="players",
        label="Elo of each bot against the best, with its 95 % interval",
        caption="Bots by strength",
        table=None,
        spec=interval_chart(rows, "Elo to the best") if rows else None,
    )


def bisection_figures(result: BisectResult) -> list[Figure]:
    """Return the Elo of the tried commits."""
    return [_tried_figure(result.tried)]


def _interval(estimate: EloEstimate) -> dict[str, float | None]:
    """Return the 95 % interval; after a shutout that of the likelihood, as there is no error."""
    if estimate.is_bound or estimate.elo is None or estimate.error95 is None:
        return {"low": estimate.low95, "high": estimate.high95}
    return {"low": estimate.elo - estimate.error95, "high": estimate.elo + estimate.error95}


def _tried_figure(tried: Sequence[TriedCommit]) -> Figure:
    rows = [
        {
            "name": each.commit.commit[:SHORT],
            "elo": each.estimate.elo,
            **_interval(each.estimate),
            "label": elo_words(each.estimate, digits=0),
            "verdict": VERDICTS[each.verdict],
        }
        for each in tried
        if each.games
    ]
    return Figure(
        name="tried",
        label="Elo of each tried commit against the good commit, with 95 % intervals, oldest first",
        caption="Tried commits, oldest first",
        table=None,
        spec=interval_chart(rows, "Elo against the good commit") if rows else None,
    )


def tuning_figures(tuned: TuningOutcome) -> list[Figure]:
    """Return the values of each parameter over the games of the search."""
    parameters = tuned.template.parameters
    return [_parameter_figure(each, place, tuned.steps) for place, each in enumerate(parameters)]


def _moments(steps: Sequence[TuningStepRow]) -> list[tuple[int, TuningStepRow]]:
    """Return evenly spaced steps with the number of games until then; the last one is included."""
    games = np.cumsum([step.games for step in steps])
    places = np.linspace(0, len(steps) - 1, min(len(steps), MOMENTS)).round().astype(int)
    return [(int(games[place]), steps[place]) for place in np.unique(places)] if steps else []


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
        spec=parameter_chart(rows, each.name, start=each.start, is_log=each.is_log)
        if rows
        else None,
    )


def _few(rows: list[dict[str, float]]) -> list[dict[str, float]]:
    """Return evenly spaced rows; the last one is included."""
    return rows[:: -max(len(rows) // TABLED, 1)][::-1]
