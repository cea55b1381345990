"""Results of a test suite."""

from collections.abc import Mapping
from typing import Any

import msgspec

from bots.budget import BUDGETS, Budget
from ladder.experiments.suite.make import Mining
from ladder.experiments.suite.run import Answers, SolvedShare, SuiteResult
from ladder.names import counted
from reports.findings.finding import Case, Finding
from reports.layout.listing import Titled
from reports.layout.table import Column

FAILURES_NAMED = 5


def suite_document(result: SuiteResult, left_out: Mapping[str, str]) -> dict[str, Any]:
    """Return the document of `ladder suite run --json`."""
    return {
        "suite": result.suite.name,
        "hash": result.suite.content_hash,
        "positions": len(result.suite.puzzles),
        "left_out": dict(left_out),
        "results": [_answers_document(result, answers) for answers in result.answers],
    }


def _answers_document(result: SuiteResult, answers: Answers) -> dict[str, Any]:
    return {
        "bot": answers.bot,
        "budget": _amount(answers.budget),
        **_share(answers.share),
        "by_theme": {
            theme: _share(share) for theme, share in answers.by_theme(result.suite.puzzles).items()
        },
        "wrong": [n for n, right in enumerate(answers.right, start=1) if not right],
        "failures": list(answers.failures),
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
        tables=[Titled("", _columns(result))],
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


def _columns(result: SuiteResult) -> list[Column]:
    rows = result.answers
    shares = [answers.by_theme(result.suite.puzzles) for answers in rows]
    return [
        Column("bot", [answers.bot for answers in rows], number=False),
        Column("budget", [_words(answers.budget) for answers in rows], number=False),
        Column("solved", [f"{answers.share.rate:.1%}" for answers in rows]),
        Column("±95", [f"{answers.share.error95:.1%}" for answers in rows], level=2),
        *(
            Column(theme, [f"{own[theme].rate:.0%}" for own in shares], level=3)
            for theme in result.suite.themes
        ),
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
