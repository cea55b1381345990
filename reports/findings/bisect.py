"""The finding of a bisection."""

from typing import Any

from ladder.experiments.bisect.result import BisectResult, CommitVerdict, TriedCommit
from ladder.experiments.bisect.search import Answer
from ladder.names import counted
from ladder.registry.specs.git import Commit
from ladder.stats.difference import Difference, chance_words
from reports.findings.finding import Case, Finding
from reports.layout.elo import difference_fields
from reports.layout.fields import UNDECIDED, VERDICTS, Field, Table
from reports.layout.format import capped, values_of

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


def bisect_document(result: BisectResult) -> dict[str, Any]:
    """Return the document of `ladder bisect --json`."""
    found, drop = result.culprit, result.drop
    return {
        "commit": None if found is None else found.commit,
        "subject": None if found is None else found.subject,
        **(drop or Difference()).values(),
        "games": result.games,
        **values_of(result, "answer", "exit_code", "reason"),
        "chance": round(result.chance, 4),
        "suspects": [values_of(commit, *COMMIT) for commit in result.suspects],
        "tried": Table(TRIED, result.tried).documents(),
        "good": values_of(result.good, *COMMIT),
        "bad": values_of(result.bad, *COMMIT),
        "commits": result.commits,
        **values_of(result.question, "max_drop", "confidence", "max_games", "model"),
        **values_of(result, "conditions", "seed"),
    }


def bisect_finding(result: BisectResult) -> Finding:
    """Return the finding of a bisection: the commit with its drop, and the tried commits."""
    question = result.question
    blames = result.answer in (Answer.FOUND, Answer.AMBIGUOUS)
    facts = [("Commit", _named(each)) for each in result.suspects if blames]
    if result.drop is not None:
        facts.append(
            ("Drop", f"{result.drop.words()} Elo, this commit and later against the good one")
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
        tables=[Table(TRIED, result.tried, caption="Tried commits, oldest first")],
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


def _chance(tried: TriedCommit, _: object) -> str:
    return chance_words(None if tried.verdict is CommitVerdict.SKIPPED else tried.weaker)


TRIED = (
    Field(
        "commit",
        "commit",
        value=lambda each: each.commit.commit,
        text=lambda each, _: each.commit.commit[:SHORT],
    ),
    Field(
        "verdict",
        "tried as",
        verdict=lambda each, _: VERDICTS.get(each.verdict.value, UNDECIDED),
    ),
    Field("games", "games", form="d", value=lambda each: each.record.games),
    Field("wdl", value=lambda each: list(each.record.wdl)),
    Field("pentanomial", value=lambda each: list(each.record.pentanomial)),
    # The verdict on the commit stands in place of that of the difference.
    *difference_fields(lambda each: each.difference, level=1, with_verdict=False),
    Field("weaker", "chance of the drop", digits=4, form=".1%", text=_chance, level=2),
    Field(
        "subject",
        "subject",
        value=lambda each: each.commit.subject,
        text=lambda each, _: capped(each.commit.subject, SUBJECT),
    ),
    Field("reason"),
)
"""The columns of the tried commits."""
