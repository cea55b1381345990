"""Results of a test suite."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec

from bots.budget import BUDGETS, Budget
from ladder.experiments.suite.make import Mining
from ladder.experiments.suite.puzzle import Suite
from ladder.experiments.suite.run import Answers, SolvedShare, SuiteResult
from ladder.names import counted
from reports.findings.finding import Case, Finding
from reports.layout.fields import Field, Table

FAILURES_NAMED = 5


def suite_document(result: SuiteResult, left_out: Mapping[str, str]) -> dict[str, Any]:
    """Return the document of `ladder suite run --json`."""
    return {
        "suite": result.suite.name,
        "hash": result.suite.content_hash,
        "positions": len(result.suite.puzzles),
        "left_out": dict(left_out),
        "results": _table(result).documents(),
    }


def _share(share: SolvedShare) -> dict[str, Any]:
    return {"solved": share.solved, "of": share.of, "error95": round(share.error95, 4)}


def _amount(budget: Budget) -> dict[str, int]:
    given = msgspec.structs.asdict(budget)
    return {field: amount for field, amount in given.items() if amount is not None}


def _words(budget: Budget) -> str:
    ((field, amount),) = _amount(budget).items()
    form = next(form for form in BUDGETS.values() if form.field == field)
    return form.phrase.format(amount)


def suite_finding(result: SuiteResult, left_out: Mapping[str, str]) -> Finding:
    """Return the finding of a suite: a row for each bot and budget, and the failures."""
    positions = counted(len(result.suite.puzzles), "position")
    bots = counted(len({answers.bot for answers in result.answers}), "bot")
    return Finding(
        kind="suite",
        question=f"How many positions of {result.suite.name} are solved?",
        word="solved",
        sentence=f"{bots} answered {positions} of {result.suite.name}",
        tables=[_table(result)],
        notes=_failure_lines(result),
        document=suite_document(result, left_out),
        cases=[
            Case(
                f"{answers.bot} at {_words(answers.budget)}",
                "failure" if answers.failures else "",
                message=next(iter(answers.failures), ""),
            )
            for answers in result.answers
        ],
    )


def _table(result: SuiteResult) -> Table:
    return Table(_fields(result.suite), result.answers)


def _fields(suite: Suite) -> list[Field]:
    """Return the columns of a suite, with one for each theme."""

    def rate(theme: str, answers: Answers) -> float:
        return answers.by_theme(suite.puzzles)[theme].rate

    def themes(answers: Answers) -> dict[str, Any]:
        found = answers.by_theme(suite.puzzles)
        return {theme: _share(share) for theme, share in found.items()}

    return [
        Field("bot", "bot"),
        Field(
            "budget",
            "budget",
            value=lambda each: _amount(each.budget),
            text=lambda each, _: _words(each.budget),
        ),
        Field("solved", value=lambda each: each.share.solved),
        Field("of", value=lambda each: each.share.of),
        Field(head="solved", form=".1%", value=lambda each: each.share.rate),
        Field(
            "error95", "±95", digits=4, form=".1%", value=lambda each: each.share.error95, level=2
        ),
        *(
            Field(head=theme, form=".0%", value=partial(rate, theme), level=3)
            for theme in suite.themes
        ),
        Field("by_theme", value=themes),
        Field(
            "wrong", value=lambda each: [n for n, right in enumerate(each.right, 1) if not right]
        ),
        Field("failures", value=lambda each: list(each.failures)),
    ]


def _failure_lines(result: SuiteResult) -> list[str]:
    lines = []
    for answers in result.answers:
        if answers.failures:
            times = counted(len(answers.failures), "time")
            lines.append(f"{answers.bot} failed {times} at {_words(answers.budget)}:")
            lines += [f"  {failure}" for failure in answers.failures[:FAILURES_NAMED]]
    return lines


def mining_document(file: str, state: Mining) -> dict[str, Any]:
    """Return the document of `ladder suite make --json`."""
    return {
        "file": file,
        "puzzles": state.found,
        "themes": dict(sorted(state.themes.items())),
        "games": state.games,
        "solved": state.positions,
    }


def mining_text(state: Mining) -> str:
    """Return the outcome in a line."""
    themes = ", ".join(f"{count} {theme}" for theme, count in sorted(state.themes.items()))
    found = f"{counted(state.found, 'position')} from {counted(state.games, 'game')}"
    return f"{found}: {themes or 'none'}"
