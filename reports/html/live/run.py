"""The page of a run or an experiment."""

from collections.abc import Sequence

from db.records.runs import DASHBOARD, RunStatus
from ladder.experiments.gate.stored import HeadToHead
from ladder.results.overview.pace import RunPace
from ladder.results.standings.standings import Standings
from reports.html.figures import specs_of
from reports.html.findings import Finding
from reports.html.live.links import bot_link, division_link, games_link
from reports.html.live.parts import PageParts, fragment
from reports.html.live.runs import pace_words, resume_hint, run_name, state_of
from reports.html.sections.ratings import ratings_figure
from reports.html.sections.trials import judged_gates, trials_table
from reports.html.words import day
from reports.report.rating_columns import View


def run_parts(
    entry: RunPace,
    trials: Sequence[HeadToHead],
    standings: Standings | None,
    finding: Finding | None,
) -> PageParts:
    """Return the parts of a run's page.

    Args:
        entry: the run.
        trials: the run as a gate or match; empty for other runs.
        standings: the rating list of its own games, or None.
        finding: the finding of a selection, a bisection or a tuning, or None.

    """
    row = entry.run.row
    judged = judged_gates(trials)
    figure = None if standings is None else ratings_figure(View(standings, link=bot_link))
    figures = [each.llr for each in judged] + ([] if figure is None else [figure])
    figures += [] if finding is None else finding.figures
    facts = [
        ("State", state_of(entry)),
        ("Games", pace_words(entry)),
        ("Begun", day(row.started_at)),
        ("Ended", "-" if row.ended_at is None else day(row.ended_at)),
        ("Seed", str(row.seed)),
        ("Rated", "yes" if row.rated else "no"),
    ]
    return PageParts(
        run_name(row).capitalize(),
        {
            "run": fragment(
                "run_parts.html.j2",
                row=row,
                title=entry.run.title,
                dashboard=entry.run.status is RunStatus.RUNNING and row.settings.get(DASHBOARD),
                division=entry.run.division,
                division_link=division_link(row.division_id),
                games_link=games_link(run=row.id),
                facts=facts,
                trials=trials_table(trials),
                judged=judged,
                figure=figure,
                finding=finding,
                resume_hint=resume_hint(entry),
            )
        },
        specs_of(figures),
    )
