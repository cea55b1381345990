"""The page of a division."""

from collections.abc import Mapping, Sequence

from db.records.budget import move_limit_ms
from db.records.runs import RunKind
from ladder.experiments.gate.result import BaselineResult
from ladder.experiments.gate.session import GateOutcome
from ladder.experiments.stored import StoredRun
from ladder.names import counted
from ladder.results.analysis.division import DivisionMistakes, GameTruth
from ladder.results.standings.comparison import Comparison
from ladder.results.standings.report_data import ReportData
from ladder.results.standings.standings import PairStanding
from reports.findings.finding import COLOURS
from reports.html.division_figures import (
    classes_table,
    drawn_bots_note,
    failures_table,
    history_figure,
    pairings_figure,
    rated_bots,
    ratings_figure,
    speed_table,
    steps_figure,
    times_table,
)
from reports.html.figures import Table, table_from_columns, table_of
from reports.html.page import render
from reports.html.verdict import facts, notes_of, verdict, warnings
from reports.html.viewer import failures, viewer_game
from reports.layout.fields import Cell, number_cell
from reports.layout.format import day, wdl_text
from reports.report.comparison import comparison_tables
from reports.report.mistakes import headline, left_columns, mistakes_columns, remarks
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
    trials: Sequence[StoredRun] = (),
    elsewhere: Sequence[str] = (),
    wrong: DivisionMistakes | None = None,
    truths: Mapping[int, GameTruth | None] | None = None,
) -> str:
    """Return the page as HTML.

    Args:
        data: the data of the division.
        compared: a comparison of bots, which is shown first.
        trials: gates and matches, latest first.
        elsewhere: divisions with gates or matches, if this one has none.
        wrong: mistakes of the bots; None if no game was analysed.
        truths: results of the analysis, by game.

    """
    standings = data.standings
    rated = rated_bots(standings)
    order = [bot.name for bot in standings.bots]
    budget_ms = move_limit_ms(standings.budget, None)
    place = {name: number for number, name in enumerate(order)}
    times = sorted(data.move_times, key=lambda entry: place.get(entry.bot, len(place)))
    figures = {
        figure.name: figure
        for figure in (
            ratings_figure(RatingView(standings)),
            steps_figure(data.steps),
            history_figure(data.history, order),
            pairings_figure(data.pairings, order),
        )
    }
    score = standings.first_mover_score
    return render(
        "report.html.j2",
        charts=figures.values(),
        games=[
            viewer_game(shown.game, shown.reason.value, (truths or {}).get(shown.game.id))
            for shown in data.games
        ],
        title=f"{standings.label}: {counted(standings.games, 'game', form=',d')}",
        heading=f"Who is best on {standings.label}?",
        sections=SECTIONS,
        verdict=verdict(rated),
        warnings=warnings(data),
        notes=notes_of(standings),
        facts=facts(data),
        figures=figures,
        classes=classes_table(data.classes, standings),
        history_note=drawn_bots_note(order),
        speeds=speed_table(standings.bots),
        times=times_table(times, budget_ms),
        budget_ms=budget_ms,
        first_mover="" if score is None else f"The side that moves first scores {score:.1%}.",
        failures=failures_table(standings.bots),
        failures_shown=failures([shown.game for shown in data.games]),
        mistakes=[]
        if wrong is None
        else [table_from_columns(each(wrong)) for each in (mistakes_columns, left_columns)],
        mistakes_notes=[] if wrong is None else [headline(wrong), *remarks(wrong)],
        comparison=[] if compared is None else comparison_tables(compared),
        sentences=[] if compared is None else [entry.sentence for entry in compared.versus],
        shown=_shown(data),
        trials=trials_table(trials),
        elsewhere=elsewhere,
    )


def _shown(data: ReportData) -> str:
    count = len(data.games)
    if not count:
        return ""
    return (
        f"{count:,} of {data.standings.games:,} games are in this file: all forfeits first, then "
        "upsets, the shortest losses, the largest swings of a bot's own value, and the latest."
    )


def trials_table(trials: Sequence[StoredRun]) -> Table:
    """Return the table of gates and matches; numbers of a gate are those that decided it."""
    return table_of(
        trials,
        ("#run", lambda trial: number_cell(trial.past.row.id, "d")),
        ("kind", lambda trial: Cell(trial.past.row.kind.value)),
        ("started", lambda trial: Cell(day(trial.past.row.started_at), trial.past.row.started_at)),
        ("played", lambda trial: Cell(trial.past.title)),
        ("verdict", _verdict),
        ("#games", lambda trial: number_cell(trial.past.games)),
        ("won-drawn-lost", lambda trial: _numbers(trial)[0]),
        ("pairs 0 ½ 1 1½ 2", lambda trial: _numbers(trial)[1]),
        ("LLR (bounds)", lambda trial: _numbers(trial)[2]),
        ("~note", lambda trial: Cell(trial.past.row.note)),
    )


def _verdict(trial: StoredRun) -> Cell:
    if trial.past.row.kind is not RunKind.GATE:
        return Cell("-")
    if trial.past.verdict is None:
        return Cell(trial.past.status.value)
    word = trial.past.verdict.replace("_", " ")
    return Cell(word, verdict=COLOURS.get(word, "undecided"))


def _numbers(trial: StoredRun) -> tuple[Cell, Cell, Cell]:
    """Return the cells of results, pairs and LLR."""
    found, ratio = trial.result, "-"
    if isinstance(found, GateOutcome):
        sprt = found.result.deciding.sprt
        ratio = f"{sprt.llr:.2f} ({sprt.lower:.2f} .. {sprt.upper:.2f})"
    numbers = found.result.deciding if isinstance(found, GateOutcome) else found
    if not isinstance(numbers, BaselineResult | PairStanding):
        return Cell("-"), Cell("-"), Cell("-")
    return Cell(wdl_text(numbers.wdl)), Cell(" ".join(map(str, numbers.pentanomial))), Cell(ratio)
