"""The page of a run or an experiment."""

from db.records.runs import DASHBOARD, RunStatus
from ladder.experiments.stored import StoredRun
from ladder.results.overview.overview import RunPace
from ladder.results.standings.standings import Standings
from reports.findings.run import bot_columns, finding_of, forfeit_lines, paused_lines
from reports.html.figures import specs_of
from reports.html.findings import parts_of
from reports.html.live.links import bot_link, division_link, games_link
from reports.html.live.parts import PageParts, fragment
from reports.html.live.runs import pace_words, resume_hint, run_name
from reports.html.sections.ratings import ratings_figure
from reports.html.tables import table_from_columns
from reports.html.words import as_sentence
from reports.layout.format import day
from reports.report.rating_columns import RatingView
from reports.runs import state_of


def run_parts(
    entry: RunPace, run: StoredRun, standings: Standings | None, command: str | None
) -> PageParts:
    """Return the parts of a run's page.

    Args:
        entry: the run.
        run: the same with its bots and its result.
        standings: the rating list of its own games, or None.
        command: the command line that repeats it; None if it is not stored.

    """
    row, found = entry.run.row, finding_of(run)
    finding = None if found is None or run.result is None else parts_of(found, run.result)
    figure = None if standings is None else ratings_figure(RatingView(standings, link=bot_link))
    figures = ([] if figure is None else [figure]) + ([] if finding is None else finding.charts)
    facts = [
        ("State", state_of(entry.run)),
        ("Games", pace_words(entry)),
        ("Begun", day(row.started_at)),
        ("Ended", "-" if row.ended_at is None else day(row.ended_at)),
        ("Seed", str(row.seed)),
        ("Rated", "yes" if row.rated else "no"),
    ]
    names = [bot.name for bot in run.bots]
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
                bots=table_from_columns(bot_columns(run.bots)),
                forfeits=forfeit_lines(run),
                paused=[as_sentence(line, names) for line in paused_lines(run)],
                figure=figure,
                finding=finding,
                resume_hint=resume_hint(entry),
                command=command,
            )
        },
        specs_of(figures),
    )
