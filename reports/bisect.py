"""The result of a bisection as plain data and as text."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from ladder.experiments.bisect.result import BisectResult, CommitVerdict, TriedCommit
from ladder.experiments.bisect.search import Answer
from ladder.match.specs.git import LoggedCommit
from ladder.names import counted
from ladder.visible import visible
from reports.layout.elo import elo_words
from reports.layout.format import capped, labelled, rounded, values_of
from reports.layout.table import Column, fit

SHORT = 10
SUBJECT = 72
"""Length of a commit's subject in a table, in characters."""
COMMIT = ("commit", "subject")
"""The values of a commit in a document."""
HEADS = {
    Answer.FOUND: "FOUND",
    Answer.AMBIGUOUS: "NOT DECIDED",
    Answer.NONE: "NO DROP",
    Answer.UNDECIDED: "NOT DECIDED",
    None: "STOPPED",
}
STYLES = {
    CommitVerdict.GOOD: "green",
    CommitVerdict.BAD: "red",
    CommitVerdict.OPEN: "",
    CommitVerdict.SKIPPED: "dim",
}


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


def print_bisect(console: Console, result: BisectResult) -> None:
    """Print the answer, the commit with its drop, and the table of tried commits."""
    console.print(Text(f"{HEADS[result.answer]}: {result.reason}"), soft_wrap=True)
    console.print()
    blamed = result.answer in (Answer.FOUND, Answer.AMBIGUOUS)
    rows = [("commit", _named(commit)) for commit in result.suspects if blamed]
    if result.drop is not None:
        rows.append(("drop", f"{elo_words(result.drop)} Elo, this commit and later against GOOD"))
    rows += [
        ("good", _named(result.good)),
        ("bad", f"{_named(result.bad)}, {counted(result.commits, 'commit')} later"),
        ("question", _question_text(result)),
        ("seed", str(result.seed)),
    ]
    for line in labelled(rows, 10):
        console.print(Text(visible(line)), soft_wrap=True)
    console.print()
    console.print(fit(_columns(result.tried), console.width).table())
    for tried in result.tried:
        if tried.reason:
            line = f"{tried.commit.commit[:SHORT]} was skipped: {tried.reason}"
            console.print(Text(visible(line)), soft_wrap=True)


def _question_text(result: BisectResult) -> str:
    question = result.question
    return (
        f"a drop of {question.max_drop:g} {question.model.value} Elo or more, confidence "
        f"{question.confidence:.4g}, at most {question.max_games} games on {result.conditions}"
    )


def _named(commit: LoggedCommit) -> str:
    return f"{commit.commit[:SHORT]} {commit.subject}"


def _columns(tried: Sequence[TriedCommit]) -> list[Column]:
    return [
        Column("commit", [each.commit.commit[:SHORT] for each in tried], number=False),
        Column(
            "tried as",
            [Text(each.verdict.value, style=STYLES[each.verdict]) for each in tried],
            number=False,
        ),
        Column("games", [str(each.games) for each in tried]),
        Column("Elo against good", [elo_words(each.estimate) for each in tried], level=1),
        Column("chance weaker", [_chance(each) for each in tried], level=2),
        Column("subject", [capped(each.commit.subject, SUBJECT) for each in tried], number=False),
    ]


def _chance(tried: TriedCommit) -> str:
    return "-" if tried.verdict is CommitVerdict.SKIPPED else f"{tried.weaker:.1%}"
