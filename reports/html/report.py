"""The page of a division."""

from collections.abc import Mapping, Sequence

from db.records.budget import move_limit_ms
from ladder.experiments.gate.stored import HeadToHead
from ladder.names import counted
from ladder.results.analysis.division import DivisionMistakes, GameTruth
from ladder.results.standings.comparison import Comparison
from ladder.results.standings.report_data import ReportData
from reports.analyze import headline, remarks
from reports.html.page import render
from reports.html.sections.failures import failures, failures_table
from reports.html.sections.history import dates_figure, drawn_bots_note, history_figure
from reports.html.sections.mistakes import mistakes_figure, mistakes_table
from reports.html.sections.pairings import (
    bots_by_class_table,
    classes_table,
    first_mover,
    pairings_figure,
)
from reports.html.sections.ratings import rated_bots, ratings_figure
from reports.html.sections.speed import cpu_figure, speed_figure, times_figure
from reports.html.sections.steps import steps_figure
from reports.html.sections.trials import judged_gates, trials_table
from reports.html.sections.verdict import alike, facts, notes_of, verdict, warnings
from reports.html.tables import Cell, Table, headings
from reports.html.viewer import viewer_game
from reports.layout.fields import NOTHING
from reports.report.comparison import sections
from reports.report.rating_columns import RatingView

SECTIONS = (
    ("verdict", "Verdict"),
    ("ratings", "Ratings"),
    ("steps", "Changes"),
    ("history", "Over time"),
    ("pairings", "Pairings"),
    ("speed", "Speed"),
    ("mistakes", "Mistakes"),
    ("failures", "Failures"),
    ("games-section", "Games"),
    ("trials", "Gates"),
)


def report_page(
    data: ReportData,
    *,
    compared: Comparison | None = None,
    trials: Sequence[HeadToHead] = (),
    wrong: DivisionMistakes | None = None,
    truths: Mapping[int, GameTruth | None] | None = None,
) -> str:
    """Return the page as HTML.

    Args:
        data: the data of the division.
        compared: a comparison of bots, which is shown first.
        trials: gates and matches, latest first.
        wrong: mistakes of the bots; None if no game was analysed.
        truths: results of the analysis, by game.

    """
    standings = data.standings
    rated = rated_bots(standings)
    order = [bot.name for bot in standings.bots]
    budget_ms = move_limit_ms(standings.budget, None)
    place = {name: number for number, name in enumerate(order)}
    times = sorted(data.move_times, key=lambda entry: place.get(entry.bot, len(place)))
    judged = judged_gates(trials)
    figures = {
        figure.name: figure
        for figure in (
            ratings_figure(RatingView(standings)),
            steps_figure(data.steps),
            history_figure(data.history, order),
            dates_figure(rated, data.bots),
            pairings_figure(data.pairings, order),
            speed_figure(standings.bots),
            times_figure(times, budget_ms),
            cpu_figure(times),
            mistakes_figure(wrong),
        )
    }
    games = [
        viewer_game(shown.game, shown.reason.value, (truths or {}).get(shown.game.id))
        for shown in data.games
    ]
    return render(
        "report.html.j2",
        charts=[*figures.values(), *(gate.llr for gate in judged)],
        games=games,
        title=f"{standings.label}: {counted(standings.games, 'game', form=',d')}",
        heading=f"Who is best on {standings.label}?",
        sections=SECTIONS,
        verdict=verdict(rated),
        warnings=warnings(data),
        notes=notes_of(standings),
        alike=alike(rated),
        facts=facts(data),
        figures=figures,
        classes=classes_table(data.classes, standings),
        by_class=bots_by_class_table(data.classes, order),
        history_note=drawn_bots_note(order),
        budget_ms=budget_ms,
        first_mover=first_mover(standings),
        failures=failures_table(
            {
                bot.name: {**bot.forfeits, "of games": bot.games}
                for bot in standings.bots
                if bot.all_forfeits
            }
        ),
        failures_shown=failures(data.games),
        mistakes=mistakes_table(wrong),
        mistakes_notes=[] if wrong is None else [headline(wrong), *remarks(wrong)],
        comparison=[] if compared is None else comparison_tables(compared),
        sentences=[] if compared is None else [entry.sentence for entry in compared.versus],
        shown=_shown(data),
        names=sorted(order),
        trials=trials_table(trials),
        judged=judged,
    )


def comparison_tables(compared: Comparison) -> list[tuple[str, Table]]:
    """Return the tables of a comparison with their titles."""
    return [
        (
            section.title,
            Table(
                headings(*section.columns),
                [[Cell("0" if cell == NOTHING else cell) for cell in row] for row in section.rows],
            ),
        )
        for section in sections(compared)
    ]


def _shown(data: ReportData) -> str:
    count = len(data.games)
    if not count:
        return ""
    return (
        f"{count:,} of {data.standings.games:,} games are in this file: all forfeits first, then "
        "upsets, the shortest losses, the largest swings of a bot's own value, and the latest."
    )
