"""The overview page: running runs, the latest runs, and the rating list."""

from ladder.results.overview.overview import Overview, RunPace
from reports.html.figures import specs_of
from reports.html.live import links
from reports.html.live.links import bot_link, division_link, games_link, run_link
from reports.html.live.parts import PageParts, fragment
from reports.html.live.runs import pace_words, run_name
from reports.html.sections.ratings import rated_bots, ratings_figure
from reports.html.sections.verdict import notes_of, verdict
from reports.html.tables import table_of_fields
from reports.html.words import as_sentence
from reports.report.notes import is_warning, note_text
from reports.report.rating_columns import RatingView
from reports.runs import FIELDS

RUNS_SHOWN = 12


def overview_parts(data: Overview) -> PageParts:
    """Return the parts of the overview page."""
    running = [entry for entry in data.runs if entry.is_running]
    died = [entry for entry in data.runs[:RUNS_SHOWN] if entry.has_died]
    parts = {
        "now": fragment(
            "now.html.j2",
            running=[_card(entry) for entry in running],
            died=[_card(entry) for entry in died],
            is_empty=not data.runs,
        ),
        "runs": fragment(
            "runs.html.j2",
            runs=table_of_fields(FIELDS, [each.run for each in data.runs[:RUNS_SHOWN]], links),
            older=max(len(data.runs) - RUNS_SHOWN, 0),
        ),
    }
    charts = {}
    standings = data.standings
    if standings is not None and data.division is not None:
        before = data.before if data.latest is not None and data.before else None
        figure = ratings_figure(RatingView(standings, before=before, link=bot_link))
        charts = specs_of([figure])
        names = {bot.name for bot in standings.bots}
        parts["list"] = fragment(
            "list.html.j2",
            figure=figure,
            verdict=verdict(rated_bots(standings)),
            warnings=[
                as_sentence(note_text(note), names) for note in standings.notes if is_warning(note)
            ],
            notes=notes_of(standings),
            since=None if before is None or data.latest is None else data.latest.run.row.id,
            since_link="" if data.latest is None else run_link(data.latest.run.row.id),
        )
        parts["divisions"] = fragment(
            "divisions.html.j2",
            divisions=[
                (each.label, division_link(each.id), each.id == data.division.id)
                for each in data.divisions
            ],
            games=games_link(division=data.division.id),
        )
        parts["chart"] = fragment("chart.html.j2", figure=figure)
    else:
        parts |= dict.fromkeys(("list", "divisions", "chart"), "")
    return PageParts(title="Connect Four ladder", parts=parts, charts=charts)


def _card(entry: RunPace) -> dict[str, object]:
    run = entry.run
    return {
        "id": run.row.id,
        "name": run_name(run.row),
        "title": run.title,
        "link": run_link(run.row.id),
        "games": run.games,
        "target": run.row.target_games,
        "pace": pace_words(entry),
        "note": run.row.note,
    }
