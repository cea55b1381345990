"""The finding of a night."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from db.records.night import NightVerdict
from db.records.record import Record
from ladder.experiments.bisect.history import SHORT
from ladder.experiments.bisect.result import BisectResult
from ladder.experiments.engine import STOPPED
from ladder.experiments.nightly.commits import commit_of
from ladder.experiments.nightly.session import NOTHING_NEW, CommitRow, NightOutcome
from ladder.names import counted, listed
from ladder.stats.own_rating import Rating
from reports.findings.bisect import bisect_document
from reports.findings.finding import Case, Finding
from reports.layout.elo import difference_fields
from reports.layout.fields import UNDECIDED, VERDICTS, Field, Table, moment_field
from reports.layout.format import capped, values_of

NAMED = 4
"""Most commits that a sentence names."""
SUBJECT = 60
"""Length of a commit's subject in a table, in characters."""
PROBLEMS = {NightVerdict.NO_DROP: "", NightVerdict.UNDECIDED: "error", NightVerdict.DROP: "failure"}
"""The results of a commit's case in JUnit."""


def nightly_document(outcome: NightOutcome) -> dict[str, Any]:
    """Return the document of `ladder nightly --json`."""
    night = outcome.night
    return {
        "branch": night.branch,
        "verdict": outcome.word,
        **values_of(outcome, "exit_code", "games"),
        **values_of(night.question, "max_drop", "until_error"),
        "commits": Table(COMMITS, outcome.rows).documents(),
        "skipped": [values_of(each, "commit", "subject", "reason") for each in night.skipped],
        "bisect": [],
        "conditions": outcome.conditions,
        "run": outcome.run_id,
    }


def nightly_finding(outcome: NightOutcome) -> Finding:
    """Return the finding of a night: the drops, and a row for each stored commit."""
    night, question = outcome.night, outcome.night.question
    names = [row.row.name for row in outcome.rows]
    opponents = {other for _, other in night.meetings} - {*names}
    notes = [night.rewritten] if night.rewritten else []
    notes += [
        f"{each.commit[:7]} '{capped(each.subject, SUBJECT)}' is not stored: {each.reason}"
        for each in night.skipped
    ]
    asks = f"Did a commit of {night.branch} lose more than {question.max_drop:g} Elo?"
    return Finding(
        kind="nightly",
        question=asks,
        word=outcome.word,
        sentence=_sentence(outcome),
        facts=[]
        if outcome.word == NOTHING_NEW
        else [
            ("Division", outcome.conditions),
            ("Accepted drop", f"{question.max_drop:g} Elo"),
            ("Until error", f"{question.until_error:g} Elo"),
            ("Opponents", ", ".join(sorted(opponents)) or "none"),
            ("Games", f"{outcome.games:,}"),
        ],
        tables=[]
        if outcome.word == NOTHING_NEW
        else [Table(COMMITS, outcome.rows, caption="Commits, oldest first")],
        notes=notes,
        names=[night.branch, *names, *(each.commit[:7] for each in night.skipped)],
        document=nightly_document(outcome),
        cases=[
            Case(
                f"{row.row.name}: {row.row.change}", PROBLEMS[row.verdict or NightVerdict.UNDECIDED]
            )
            for row in outcome.rows
            if row.is_asked
        ],
    )


def with_bisections(
    finding: Finding,
    outcome: NightOutcome,
    command_of: Callable[[Mapping[str, str]], str | None],
    find: Callable[[str, str], BisectResult | None] = lambda *_: None,
) -> Finding:
    """Return a finding with the commands that find the commits of wide drops.

    Args:
        finding: the finding of a night.
        outcome: its outcome.
        command_of: returns the command line of the night with other options.
        find: returns the result of a command between two commits; None if it does not play.

    """
    notes, found = [*finding.notes], []
    for bot, (good, bad) in outcome.wide_drops.items():
        command = command_of({"command": "bisect", "good": good[:SHORT], "bad": bad[:SHORT]})
        result = find(good, bad)
        note = f"which commit before {bot}: `{command}`"
        notes.append(note if result is None else f"{note} found: {result.reason}")
        document = None if result is None else bisect_document(result)
        found.append({"bot": bot, "command": command, "result": document})
    return replace(finding, notes=notes, document={**finding.document, "bisect": found})


def _sentence(outcome: NightOutcome) -> str:
    """Return the verdict with its reason."""
    night, drop = outcome.night, outcome.night.question.max_drop
    if outcome.word == STOPPED:
        return f"no verdict after {counted(outcome.games, 'game')}: {outcome.unfinished}"
    if outcome.word == NOTHING_NEW:
        newest = outcome.rows[-1].row.name if outcome.rows else night.name
        return f"{night.branch} has nothing new since {newest}, and nothing is undecided"
    lost = outcome.with_verdict(NightVerdict.DROP)
    if lost:
        words = (row.difference.sentence(row.row.name, night.steps[row.row.name]) for row in lost)
        return f"{'; '.join(words)}; {drop:g} Elo are accepted"
    left = [row.row.name for row in outcome.with_verdict(NightVerdict.UNDECIDED)]
    if left:
        return (
            f"{listed(left, NAMED)} may have lost more than {drop:g} Elo: too few games to be sure"
        )
    return f"none of {counted(len(night.steps), 'new commit')} has lost more than {drop:g} Elo"


def _record(row: CommitRow) -> Record:
    return row.answer.record if row.answer else Record()


COMMITS = (
    Field("commit", value=lambda row: commit_of(row.row)),
    Field(
        "bot",
        "commit",
        value=lambda row: row.row.name,
        link=lambda row, view: view(row.row.name) if view else "",
    ),
    moment_field("date", lambda row: row.date, 3, key="date"),
    Field("based_on", value=lambda row: row.row.based_on),
    Field("tag", "tag", shown=lambda rows, _: any(row.tag for row in rows), level=2),
    Field("asked", value=lambda row: row.is_asked),
    Field("games", "games", form=",d", value=lambda row: _record(row).games, level=2),
    Field("pentanomial", value=lambda row: list(_record(row).pentanomial)),
    *difference_fields(lambda row: row.difference, head="Elo", level=1),
    Field(
        "outcome",
        "verdict",
        value=lambda row: row.answer and row.answer.verdict,
        text=lambda row, _: row.answer.verdict.value if row.answer else "-",
        verdict=lambda row, _: VERDICTS.get(row.answer.verdict, UNDECIDED) if row.answer else "",
    ),
    Field(
        "rating",
        "rating",
        value=lambda row: row.rating and row.rating.elo,
        digits=1,
        form=".0f",
        text=lambda row, _: (row.rating or Rating()).words(),
        level=1,
    ),
    Field(
        "subject",
        "subject",
        value=lambda row: row.row.change,
        text=lambda row, _: capped(row.row.change, SUBJECT),
        is_prose=True,
        level=4,
    ),
)
"""The columns of the commits; the view returns the address of a bot's page."""
