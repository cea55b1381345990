"""The finding of a bisection."""

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from ladder.experiments.bisect.result import BisectResult, CommitVerdict, TriedCommit
from ladder.experiments.bisect.search import Answer
from ladder.match.specs.git import Commit
from ladder.names import counted
from reports.findings.finding import Case, Finding
from reports.layout.elo import elo_words
from reports.layout.format import capped, rounded, values_of
from reports.layout.listing import Titled
from reports.layout.table import VERDICT_STYLES, Column

SHORT = 10
SUBJECT = 72
"""Length of a commit's subject in a table, in characters."""
COMMIT = ("commit", "subject")
"""The values of a commit in a document."""
WORDS = {
    Answer.FOUND: "found",
    Answer.AMBIGUOUS: "not decided",
    Answer.NONE: "no drop",
    Answer.UNDECIDED: "not decided",
    None: "stopped",
}
VERDICTS = {
    CommitVerdict.GOOD: "gained",
    CommitVerdict.BAD: "lost",
    CommitVerdict.OPEN: "undecided",
    CommitVerdict.SKIPPED: "undecided",
}
"""The colours of commits."""


def bisect_document(result: BisectResult) -> dict[str, Any]:
    """Return the document of `ladder bisect --json`."""
    found, drop = result.culprit, result.drop
    return {
        "commit": None if found is None else found.commit,
        "subject": None if found is None else found.subject,
        "elo": None if drop is None else rounded(drop.elo, 2),
        "error95": None if drop is None else rounded(drop.error95, 2),
        "elo_at_most": None if drop is None else rounded(drop.at_most, 2),
        "games": result.games,
        **values_of(result, "answer", "exit_code", "reason"),
        "chance": round(result.chance, 4),
        "suspects": [values_of(commit, *COMMIT) for commit in result.suspects],
        "tried": [_tried_document(tried) for tried in result.tried],
        "good": values_of(result.good, *COMMIT),
        "bad": values_of(result.bad, *COMMIT),
        "commits": result.commits,
        **values_of(result.question, "max_drop", "confidence", "max_games", "model"),
        **values_of(result, "conditions", "seed"),
    }


def _tried_document(tried: TriedCommit) -> dict[str, Any]:
    return {
        **values_of(tried.commit, *COMMIT),
        **values_of(tried, "verdict", "games", "wdl", "pentanomial"),
        **values_of(tried.estimate, "elo", "error95", digits=2),
        "weaker": round(tried.weaker, 4),
        "reason": tried.reason,
    }


def bisect_finding(result: BisectResult) -> Finding:
    """Return the finding of a bisection: the commit with its drop, and the tried commits."""
    question = result.question
    blames = result.answer in (Answer.FOUND, Answer.AMBIGUOUS)
    facts = [("Commit", _named(each)) for each in result.suspects if blames]
    if result.drop is not None:
        facts.append(
            ("Drop", f"{elo_words(result.drop)} Elo, this commit and later against the good one")
        )
    facts += [
        ("Good", _named(result.good)),
        ("Bad", f"{_named(result.bad)}, {counted(result.commits, 'commit')} later"),
        ("Smallest drop", f"{question.max_drop:g} {question.model.value} Elo"),
        ("Confidence", f"{question.confidence:.4g}"),
        ("Games counted", f"{result.games:,} of at most {question.max_games:,}"),
        ("Division", result.conditions),
        ("Seed", str(result.seed)),
    ]
    question_text = f"Which commit after {result.good.commit[:SHORT]} lost rating?"
    problems: dict[Answer | None, str] = {Answer.FOUND: "failure", Answer.NONE: ""}
    return Finding(
        kind="bisect",
        question=question_text,
        word=WORDS[result.answer],
        sentence=result.reason,
        facts=facts,
        tables=[Titled("Tried commits, oldest first", tried_columns(result.tried))],
        notes=[
            f"{tried.commit.commit[:SHORT]} was skipped: {tried.reason}"
            for tried in result.tried
            if tried.reason
        ],
        document=bisect_document(result),
        cases=[Case(question_text, problems.get(result.answer, "error"))],
    )


def _named(commit: Commit) -> str:
    return f"{commit.commit[:SHORT]} {commit.subject}"


def tried_columns(tried: Sequence[TriedCommit]) -> list[Column]:
    """Return the columns of a table with a row per tried commit."""
    return [
        Column("commit", [each.commit.commit[:SHORT] for each in tried], number=False),
        Column(
            "tried as",
            [Text(each.verdict.value, style=_style(each)) for each in tried],
            number=False,
        ),
        Column("games", [str(each.games) for each in tried]),
        Column("Elo against good", [elo_words(each.estimate) for each in tried], level=1),
        Column("chance weaker", [_chance(each) for each in tried], level=2),
        Column("subject", [capped(each.commit.subject, SUBJECT) for each in tried], number=False),
    ]


def _style(tried: TriedCommit) -> str:
    return VERDICT_STYLES[VERDICTS[tried.verdict]]


def _chance(tried: TriedCommit) -> str:
    return "-" if tried.verdict is CommitVerdict.SKIPPED else f"{tried.weaker:.1%}"
