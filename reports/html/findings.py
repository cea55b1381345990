"""Pages of gates, selections, bisections, tunings and trainings, with their figures."""

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from db.records.runs import TuningStepRow
from ladder.experiments.gate.result import GateResult
from ladder.experiments.gate.session import GateOutcome
from ladder.experiments.nightly.session import NightOutcome
from ladder.experiments.stored import RunResult
from ladder.experiments.tune.parameters import Parameter
from ladder.experiments.tune.session import TuningOutcome
from ladder.results.standings.report_data import ShownGame
from reports.findings.finding import Finding, finding_markdown
from reports.html.charts import GAINED, INK, LOST, Axis, Figure, Row, commit_chart, line_chart
from reports.html.division_figures import interval
from reports.html.page import render
from reports.html.viewer import failures, viewer_game
from reports.layout.fields import UNDECIDED, VERDICTS, Field, Table

MOMENTS = 150
"""Largest number of steps in a chart."""
GAMES = Axis("games", "games")
TABLED = 12
"""Largest number of rows in a table of progress."""


def figures_of(result: RunResult, link: Callable[[str], str] | None = None) -> list[Figure]:
    """Return Elo over the commits of a night, or a tuning's values of each parameter over games.

    Args:
        result: the result.
        link: returns the address of a bot's page, where there is one.

    """
    if isinstance(result, NightOutcome):
        return [_commits_figure(result, link)]
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
    return [_llr_figure(gated.result)]


def _commits_figure(outcome: NightOutcome, link: Callable[[str], str] | None) -> Figure:
    """Return the figure of the ratings of commits."""
    rows = [
        {
            **interval(each.rating),
            "name": each.row.name.rpartition("@")[2],
            "subject": each.row.change,
            "tag": each.tag,
            "verdict": VERDICTS.get(each.answer.verdict, UNDECIDED) if each.answer else "rated",
            "href": link(each.row.name) if link else "",
        }
        for each in outcome.rows
        if each.rating is not None and each.rating.elo is not None
    ]
    return Figure(
        name="commits",
        label="Ratings of the commits in Elo with 95 % intervals, oldest first",
        caption="Elo over the commits",
        spec=commit_chart(rows) if rows else None,
    )


def _llr_figure(result: GateResult) -> Figure:
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
        name="llr",
        label=f"Log-likelihood ratio over the pairs, between {sprt.lower:.2f} and {sprt.upper:.2f}",
        caption="Log-likelihood ratio over the pairs",
        table=_table(rows, ("name", "against", ""), ("pair", "pair", "d"), ("llr", "LLR", ",.2f")),
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
    values = [(key, key, ".4g") for key in ("value", "low", "high")]
    return Figure(
        name=f"parameter-{place}",
        label=f"{each.name} over the games of the search, with the two values of each step",
        caption=f"{each.name} over the games, with the two values that played",
        table=_table(rows, ("games", "games", ",d"), *values),
        spec=line_chart(rows, GAMES, axis, bounds=start, height=180) if rows else None,
    )


def _table(rows: Sequence[Row], *columns: tuple[str, str, str]) -> Table:
    """Return a table of evenly spaced rows with the last one; columns are key, head and format."""
    few = rows[:: -max(-(-len(rows) // TABLED), 1)][::-1]
    fields = [Field(head=head, form=form, value=itemgetter(key)) for key, head, form in columns]
    return Table(fields, few)


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


SECTIONS = (
    ("verdict", "Verdict"),
    ("evidence", "Evidence"),
    ("paste", "Pull request"),
)
GAME_SECTIONS = (("failures", "Failures"), ("games-section", "Games"))


def finding_page(
    finding: Finding,
    figures: Sequence[Figure] = (),
    folded: Sequence[Figure] = (),
    games: Sequence[ShownGame] = (),
) -> str:
    """Return the page of a finding as one string of HTML.

    Args:
        finding: the finding.
        figures: its figures.
        folded: those that are shown with the numbers of the test.
        games: lost games of the candidate for the replay viewer.

    """
    viewed = [viewer_game(shown.game, shown.reason.value) for shown in games]
    return render(
        "finding.html.j2",
        charts=[*figures, *folded],
        games=viewed,
        title=f"{finding.word}: {finding.question}",
        sections=(*SECTIONS, *(GAME_SECTIONS if viewed else ())),
        finding=finding,
        figures=figures,
        folded=folded,
        markdown=finding_markdown(finding),
        failures_shown=failures([each.game for each in games]),
        shown=f"This file has {len(viewed):,} lost games: forfeits, the shortest and the latest."
        if viewed
        else "",
    )
