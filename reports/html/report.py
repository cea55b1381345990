"""The page of a division: the verdict, warnings, conditions, and its charts and tables."""

from collections.abc import Mapping, Sequence
from functools import partial

from db.records.budget import move_limit_ms
from db.records.runs import SHIPPED_OPENINGS, Conditions, RunKind, RunRow
from ladder.experiments.gate.result import BaselineResult
from ladder.experiments.gate.session import GateOutcome
from ladder.experiments.stored import StoredRun
from ladder.names import counted
from ladder.results.analysis.division import DivisionMistakes, GameTruth
from ladder.results.standings.comparison import BY_LIST, Comparison
from ladder.results.standings.head_to_head import HeadToHead
from ladder.results.standings.lineage import Step
from ladder.results.standings.report_data import ReportData
from ladder.results.standings.standings import Standings
from ladder.stats.difference import Sign
from reports.html.division_figures import (
    classes_table,
    drawn_bots_note,
    failures_table,
    history_figure,
    pairings_figure,
    rated_bots,
    ratings_figure,
    steps_figure,
    times_table,
)
from reports.html.page import render
from reports.html.viewer import failures, viewer_game
from reports.layout.fields import UNDECIDED, VERDICTS, Field, Table, moment_field
from reports.layout.format import as_sentence, day, join_names, wdl_text
from reports.report.comparison import comparison_tables
from reports.report.mistakes import headline, left_table, mistakes_table, remarks
from reports.report.rating_columns import COLUMNS, RatingView, forfeit_text
from reports.report.standings import is_warning, list_fields, note_text

SECTIONS = (
    ("verdict", "Verdict"),
    ("ratings", "Ratings"),
    ("steps", "Changes"),
    ("history", "Over time"),
    ("pairings", "Pairings"),
    ("speed", "Times"),
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
    keys: Sequence[str] = (),
) -> str:
    """Return the page as HTML.

    Args:
        data: the data of the division.
        compared: a comparison of bots, which is shown first.
        trials: gates and matches, latest first.
        elsewhere: divisions with gates or matches, if this one has none.
        wrong: mistakes of the bots; None if no game was analysed.
        truths: results of the analysis, by game.
        keys: those of the columns of the rating list to show; empty for the usual ones.

    """
    standings = data.standings
    order = [bot.name for bot in standings.bots]
    budget_ms = move_limit_ms(standings.division.budget, None)
    place = {name: number for number, name in enumerate(order)}
    times = sorted(data.move_times, key=lambda entry: place.get(entry.bot, len(place)))
    figures = {
        figure.name: figure
        for figure in (
            ratings_figure(
                RatingView(standings), list_fields(standings, wrong, keys) if keys else COLUMNS
            ),
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
        verdict=verdict(standings),
        warnings=warnings(data),
        notes=notes_of(standings),
        facts=facts(data),
        figures=figures,
        classes=classes_table(data.classes, standings),
        history_note=drawn_bots_note(order),
        times=times_table(times, budget_ms),
        budget_ms=budget_ms,
        first_mover="" if score is None else f"The side that moves first scores {score:.1%}.",
        failures=failures_table(standings.bots),
        failures_shown=failures([shown.game for shown in data.games]),
        mistakes=[] if wrong is None else [mistakes_table(wrong), left_table(wrong)],
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
    fields = (
        Field("run", "run", form="d", value=lambda trial: trial.past.row.id),
        Field("kind", "kind", value=lambda trial: trial.past.row.kind),
        moment_field("started", lambda trial: trial.past.row.started_at, level=0),
        Field("played", "played", value=lambda trial: trial.past.title),
        Field(head="verdict", text=_verdict, verdict=_verdict_of),
        Field("games", "games", form=",d", value=lambda trial: trial.past.games),
        *(
            Field(head=head, value=partial(_number, place))
            for place, head in enumerate(("won-drawn-lost", "pairs 0 ½ 1 1½ 2", "LLR (bounds)"))
        ),
        Field("note", "note", value=lambda trial: trial.past.row.note, is_prose=True),
    )
    return Table(fields, trials)


def _verdict(trial: StoredRun, _: object) -> str:
    if isinstance(trial.result, HeadToHead):
        return trial.result.difference.word
    if trial.past.row.kind is not RunKind.GATE:
        return "-"
    if trial.past.verdict is None:
        return trial.past.status.value
    return trial.past.verdict.replace("_", " ")


def _verdict_of(trial: StoredRun, view: object) -> str:
    is_judged = trial.past.row.kind is RunKind.GATE and trial.past.verdict is not None
    return VERDICTS.get(_verdict(trial, view), UNDECIDED if is_judged else "")


def _number(place: int, trial: StoredRun) -> str:
    """Return the results, pairs or LLR."""
    found, ratio = trial.result, "-"
    if isinstance(found, GateOutcome):
        sprt = found.result.deciding.sprt
        ratio = f"{sprt.llr:.2f} ({sprt.lower:.2f} .. {sprt.upper:.2f})"
    met = found.result.deciding if isinstance(found, GateOutcome) else found
    if not isinstance(met, BaselineResult | HeadToHead):
        return "-"
    record = met.record
    return (wdl_text(record.wdl), " ".join(map(str, record.pentanomial)), ratio)[place]


PROGRAMS = ("ladder", "python", "numba", "processor")
"""The harness that played the games, for the page."""
COMPARED = 20
"""Bots of the list with which the best one is compared; each comparison takes some milliseconds."""
LOST_BY_CHANCE = 0.025
"""Share of 95 % intervals that lie below zero although both versions are equal."""


def verdict(standings: Standings) -> str:
    """Return a sentence about the best bot."""
    rated = rated_bots(standings)
    if not rated:
        return "There are no rated games yet."
    best = rated[0]
    if len(rated) == 1:
        return f"{best.name} is the only rated bot."
    leads = f"{best.name} leads with {best.rating.words()} Elo"
    next_ones = rated[1 : COMPARED + 1]
    close = [
        bot.name
        for bot in next_ones
        if standings.difference(best.name, bot.name).verdict is not Sign.STRONGER
    ]
    if not close:
        others = "" if len(rated) == 2 else " and all others"
        if len(rated) > COMPARED + 1:
            others = f" and the {COMPARED - 1} bots after it"
        return f"{leads}: {best.name} is stronger than {rated[1].name}{others}, {BY_LIST}."
    return f"{leads}, but {best.name} is not clearly stronger than {join_names(close)}, {BY_LIST}."


def warnings(data: ReportData) -> list[str]:
    """Return sentences about regressions and about reasons not to trust the numbers."""
    standings = data.standings
    failing = sorted(standings.bots, key=lambda bot: -bot.all_forfeits)
    found = _lost(data.steps)
    found += [
        f"{bot.name} forfeited {bot.all_forfeits} of {counted(bot.games, 'game')} "
        f"({forfeit_text(bot)})" + (": do not trust its rating." if bot.unreliable else ".")
        for bot in failing
        if bot.all_forfeits
    ]
    slow = [
        f"{bot.name} {bot.measures['mean_move_ms']:,.1f} ms"
        for bot in standings.bots
        if bot.over_budget
    ]
    if slow:
        found.append(f"Own time per move over the budget, on average: {', '.join(slow)}.")
    return found + warnings_of(standings)


def warnings_of(standings: Standings, *, are_warnings: bool = True) -> list[str]:
    """Return the notes about which the reader must do something, as sentences."""
    names = {bot.name for bot in standings.bots}
    return [
        as_sentence(note_text(note), names)
        for note in standings.notes
        if is_warning(note) is are_warnings
    ]


def notes_of(standings: Standings) -> list[str]:
    """Return the other notes, as sentences."""
    return warnings_of(standings, are_warnings=False)


def _lost(steps: Sequence[Step]) -> list[str]:
    """Return a sentence about the versions that lost against their predecessor, if any did."""
    lost = [step for step in steps if step.difference.verdict is Sign.WEAKER]
    if not lost:
        return []
    losses = "; ".join(
        f"{step.difference.sentence(step.bot, step.based_on)}, {BY_LIST}" for step in lost
    )
    chance = ""
    if len(steps) > 1:
        expected = f"{LOST_BY_CHANCE * len(steps):.1f}"
        chance = f"Of {len(steps)} versions, {expected} would appear here by chance. "
    worst = min(lost, key=lambda step: step.difference.elo or 0.0)
    gate = f"`ladder gate {worst.bot} --against {worst.based_on}`"
    return [f"{losses}. {chance}Run {gate} to decide."]


def facts(data: ReportData) -> list[tuple[str, str]]:
    """Return the conditions as labels and values."""
    standings = data.standings
    found = [
        ("Division", standings.label),
        ("Boards", standings.division.boards),
        ("Openings", _openings(standings.division)),
        ("Games", f"{standings.games:,} ({standings.distinct_games:,} distinct)"),
        ("Pairs", f"{standings.pairs:,}"),
    ]
    found += [(rule.heading, rule.words) for rule in standings.division.texts]
    if standings.first_mover_score is not None:
        found.append(("First mover scores", f"{standings.first_mover_score:.1%}"))
    if standings.draw_rate is not None:
        found.append(("Draws", f"{standings.draw_rate:.1%}"))
    if data.first_game is not None and data.last_game is not None:
        found.append(("Played", f"{day(data.first_game)} to {day(data.last_game)}"))
    played = _played_by(data.runs)
    return [*found, ("Played by", played)] if played else found


def _played_by(runs: Sequence[RunRow]) -> str:
    """Return the programs and processors that played the games, latest first."""
    stored = [run.settings.harness for run in runs]
    played = [
        ", ".join(f"{name} {each[name]}" for name in PROGRAMS if name in each)
        for each in stored
        if each is not None
    ]
    return "; ".join(dict.fromkeys(played))


def _openings(played: Conditions) -> str:
    if played.openings is not None:
        name = SHIPPED_OPENINGS.get(played.openings)
        return name or f"a set with the hash {played.openings}"
    if played.opening_plies is None:
        return "random plies, by board class"
    return f"{played.opening_plies} random plies" if played.opening_plies else "none"
