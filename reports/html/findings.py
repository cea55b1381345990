"""Findings of selections, bisections and tunings, for HTML files and pages of the server."""

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.experiments.bisect.result import BisectResult, CommitVerdict, TriedCommit
from ladder.experiments.bisect.search import Answer
from ladder.experiments.select.session import Choice, SelectionOutcome
from ladder.experiments.select.stored import StoredSelection
from ladder.experiments.tune.stored import StoredTuning
from ladder.match.specs.git import LoggedCommit
from ladder.names import counted
from ladder.stats.elo import EloEstimate
from reports.bisect import HEADS as ANSWERS
from reports.bisect import SHORT
from reports.html.charts.experiments import chance_chart, interval_chart
from reports.html.charts.ratings import history_chart
from reports.html.charts.spec import PALETTE
from reports.html.figures import Figure
from reports.html.page import render
from reports.html.sections.trials import COLOURS, llr_figure
from reports.html.sections.verdict import machine_facts
from reports.html.tables import Cell, Table, headings, number, table_from_columns, table_of
from reports.html.tune import gain_figure, parameter_figures, values_table
from reports.html.words import as_sentence, join_names
from reports.layout.elo import elo_words
from reports.select import HEADS as CHOICES
from reports.select import player_columns, verdict_on

SECTIONS = (("verdict", "Verdict"), ("evidence", "Evidence"))
TABLED = 12
"""Largest number of rows in a table of progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The outcome of an experiment, or its progress."""

    question: str
    word: str
    """The verdict."""
    colour: str
    """gained, undecided or lost."""
    sentence: str
    """The verdict with its reason."""
    facts: Sequence[tuple[str, str]]
    tables: Sequence[tuple[str, Table]] = ()
    """Captions and tables."""
    figures: Sequence[Figure] = ()


def finding_page(finding: Finding) -> str:
    """Return the page of an experiment as one string of HTML."""
    return render(
        "finding.html.j2",
        charts=finding.figures,
        title=f"{finding.word}: {finding.question}",
        sections=SECTIONS,
        finding=finding,
        facts=[*finding.facts, *machine_facts()],
    )


def selection_finding(stored: StoredSelection) -> Finding:
    """Return the finding of a selection: the choice, all bots, and their Elo over the games."""
    selected = stored.selected
    question = selected.question
    facts = [
        ("Indifference", f"{question.indifference:g} Elo"),
        ("Confidence", f"{question.confidence:.4g}"),
        ("Games counted", f"{selected.games:,} of at most {question.games:,}"),
        ("Division", selected.conditions),
    ]
    if selected.baseline is not None:
        facts.append(("Baseline", selected.baseline))
    names = sorted(each.name for each in selected.players)
    return Finding(
        question=f"Which of {join_names(names)} is the best?",
        word=CHOICES[selected.choice].lower(),
        colour="gained" if selected.choice is Choice.CHOSEN else "undecided",
        sentence=as_sentence(selected.reason, names),
        facts=facts,
        figures=(_players_figure(selected), _history_figure(stored)),
    )


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
        table=table_from_columns(player_columns(selected)),
        spec=interval_chart(rows, "Elo to the best") if rows else None,
        is_open=True,
    )


def _history_figure(stored: StoredSelection) -> Figure:
    shown = [each.name for each in stored.selected.players if each.elo is not None][: len(PALETTE)]
    rows = [
        {
            "bot": name,
            "games": moment.games,
            "elo": round(elo, 1),
            "low": round(elo - error, 1),
            "high": round(elo + error, 1),
        }
        for moment in stored.course
        for name, (elo, error) in moment.elo.items()
        if name in shown
    ]
    few = stored.course[:: -max(-(-len(stored.course) // TABLED), 1)][::-1]
    table = Table(
        headings("#games", *(f"#{name}" for name in shown)),
        [
            (
                number(moment.games),
                *(number(moment.elo.get(name, (None,))[0], "+.0f") for name in shown),
            )
            for moment in few
        ],
    )
    return Figure(
        name="course",
        label="Elo of each bot against the final leader over the games, with 95 % bands",
        caption="Elo relative to the final leader over the games",
        table=table,
        spec=history_chart(rows, shown, games="games", elo="Elo to the leader") if rows else None,
    )


_VERDICT_COLOURS = {
    CommitVerdict.GOOD: "gained",
    CommitVerdict.BAD: "lost",
    CommitVerdict.OPEN: "undecided",
    CommitVerdict.SKIPPED: "undecided",
}


def bisection_finding(result: BisectResult) -> Finding:
    """Return the finding of a bisection: the culprit, the tried commits, and the search."""
    question = result.question
    blames = result.answer in (Answer.FOUND, Answer.AMBIGUOUS)
    facts = [("Commit", _named(each)) for each in result.suspects if blames]
    if result.drop is not None:
        facts.append(("Drop", f"{elo_words(result.drop)} Elo against the good commit"))
    facts += [
        ("Good", _named(result.good)),
        ("Bad", f"{_named(result.bad)}, {counted(result.commits, 'commit')} later"),
        ("Smallest drop", f"{question.max_drop:g} {question.model.value} Elo"),
        ("Confidence", f"{question.confidence:.4g}"),
        ("Games counted", f"{result.games:,} of at most {question.max_games:,}"),
        ("Division", result.conditions),
        ("Seed", str(result.seed)),
    ]
    return Finding(
        question=f"Which commit after {result.good.commit[:SHORT]} lost rating?",
        word=ANSWERS[result.answer].lower(),
        colour="gained" if result.answer in (Answer.FOUND, Answer.NONE) else "undecided",
        sentence=as_sentence(result.reason),
        facts=facts,
        figures=(_tried_figure(result.tried), _search_figure(result)),
    )


def _named(commit: LoggedCommit) -> str:
    return f"{commit.commit[:SHORT]} {commit.subject}"


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
            "verdict": _VERDICT_COLOURS[each.verdict],
        }
        for each in tried
        if each.games
    ]
    table = Table(
        headings("commit", "tried as", "#games", "#Elo against good", "#chance weaker", "~subject"),
        [
            (
                Cell(each.commit.commit[:SHORT]),
                Cell(each.verdict.value, verdict=_VERDICT_COLOURS[each.verdict]),
                number(each.games),
                Cell(elo_words(each.estimate), each.estimate.elo),
                number(None if each.reason else each.weaker, ".1%"),
                Cell(f"{each.commit.subject} ({each.reason})" if each.reason
                     else each.commit.subject),
            )
            for each in tried
        ],
    )  # fmt: skip
    return Figure(
        name="tried",
        label="Elo of each tried commit against the good commit, with 95 % intervals, oldest first",
        caption="Tried commits, oldest first",
        table=table,
        spec=interval_chart(rows, "Elo against the good commit") if rows else None,
        is_open=True,
    )


def _search_figure(result: BisectResult) -> Figure:
    rows = [
        {
            "games": visit.games,
            "played": visit.commit[:SHORT],
            "likeliest": visit.likeliest[:SHORT],
            "chance": round(visit.chance, 4),
            "suspects": visit.suspects,
        }
        for visit in result.course
    ]
    return Figure(
        name="search",
        label="Probability of the most likely commit to be the culprit, over the games",
        caption="The search after each visit to a commit",
        table=table_of(
            result.course,
            ("#games", "games"),
            ("played", lambda visit: Cell(visit.commit[:SHORT])),
            ("most likely", lambda visit: Cell(visit.likeliest[:SHORT])),
            ("#chance", "chance", ".1%"),
            ("#suspects", "suspects"),
        ),
        spec=chance_chart(rows) if rows else None,
    )


def tuning_finding(stored: StoredTuning, verdict: str | None) -> Finding:
    """Return the finding of a tuning; `verdict` is that of its gate, or None."""
    gate = None if stored.gate is None else stored.gate.result
    played = sum(step.games for step in stored.steps)
    sentence = "The gate, which decides whether the values are better, has not begun"
    if gate is not None and gate.games:
        sentence = gate.reason
    elif verdict is not None:
        sentence = "The search returned to the original setting, so there was nothing to gate"
    facts = [("Games of the search", f"{played:,} of {stored.games:,}")]
    if gate is not None:
        facts += [
            ("Games of the gate", f"{gate.games:,} of at most {gate.test.games:,}"),
            ("Not allowed", f"a drop of {gate.test.max_drop:g} {gate.test.model.value} Elo"),
            ("Chance of a wrong pass", f"{gate.test.alpha:.2%}"),
        ]
    figures = [
        *parameter_figures(stored.parameters, stored.steps),
        gain_figure(stored.parameters, stored.steps),
    ]
    if gate is not None and gate.games:
        figures.append(llr_figure(gate, "llr"))
    return Finding(
        question=f"Is {stored.spec} better with other numbers?",
        word=verdict or "no verdict",
        colour=COLOURS.get(verdict or "", "undecided"),
        sentence=as_sentence(sentence),
        facts=facts,
        tables=(("Values before and after", values_table(stored.parameters, stored.estimate)),),
        figures=figures,
    )
