"""Stored results: when a bot solves fewer by more than chance."""

import json
from pathlib import Path

import pytest

from bots.budget import Budget
from ladder.errors import UsageError
from ladder.experiments.suite.baseline import Baseline, StoredAnswers, compare, read_baseline
from ladder.experiments.suite.puzzle import Puzzle, Suite
from ladder.experiments.suite.run import Answers, Share, SuiteResult
from reports.suite import suite_document, suite_junit

SUITE = Suite("mine", tuple(Puzzle("5x5", "", 2, "win", n + 1, "trap") for n in range(20)))
TEN, HUNDRED = Budget(simulations=10), Budget(simulations=100)


def answers(bot: str, wrong: int, budget: Budget = TEN, *, first: int = 0) -> Answers:
    right = [True] * 20
    right[first : first + wrong] = [False] * wrong
    return Answers(bot, budget, tuple(right), ())


def result(*found: Answers) -> SuiteResult:
    return SuiteResult(SUITE, found)


def stored(*found: Answers) -> Baseline:
    return Baseline(
        SUITE.content_hash,
        tuple(
            StoredAnswers(
                each.bot,
                {"simulations": each.budget.simulations or 0},
                tuple(n for n, right in enumerate(each.right, start=1) if not right),
            )
            for each in found
        ),
    )


@pytest.mark.parametrize(
    ("wrong", "first", "lost", "gained", "chance", "regressed"),
    [
        (2, 0, 0, 0, 1.0, False),
        (6, 0, 4, 0, 1 / 16, False),
        (7, 0, 5, 0, 1 / 32, True),
        (7, 10, 7, 2, 46 / 512, False),
        (0, 0, 0, 2, 1.0, False),
    ],
)
def test_a_sign_test_on_positions_finds_regressions(
    wrong: int, first: int, lost: int, gained: int, chance: float, regressed: bool
) -> None:
    """Positions that both solve, or neither, say nothing; the others are a fair coin."""
    (step,) = compare(result(answers("v", wrong, first=first)), stored(answers("v", 2)))
    assert (step.lost, step.gained) == (lost, gained)
    assert step.chance == pytest.approx(chance)
    assert step.is_regression is regressed


def test_a_bot_is_compared_with_its_stored_results() -> None:
    """The stored bot of the same name, or the only one there is, under the same budget."""
    now = result(answers("new", 9))
    assert compare(now, stored(answers("old", 0), answers("old", 9, HUNDRED)))[0].lost == 9
    with pytest.raises(UsageError, match="no answers of new"):
        compare(now, stored(answers("old", 0), answers("older", 0)))
    with pytest.raises(UsageError, match="no answers of old under"):
        compare(now, stored(answers("old", 0, HUNDRED)))
    other = Baseline("0" * 32, stored(answers("new", 0)).results)
    with pytest.raises(UsageError, match="another suite"):
        compare(now, other)


def test_a_document_is_a_baseline(tmp_path: Path) -> None:
    """What `--json` prints can be read as a baseline with the same results."""
    now = result(answers("v", 3), answers("v", 1, HUNDRED))
    file = tmp_path / "base.json"
    file.write_text(json.dumps(suite_document(now)))
    steps = compare(now, read_baseline(file))
    assert [(step.lost, step.gained) for step in steps] == [(0, 0), (0, 0)]
    for content in ("", "[]", '{"hash": 3}'):
        file.write_text(content)
        with pytest.raises(UsageError, match="not a document of"):
            read_baseline(file)
    with pytest.raises(UsageError, match="No such file"):
        read_baseline(tmp_path / "missing.json")


def test_a_position_counts_from_the_budget_that_always_solves_it() -> None:
    """A position counts from the budget on from which every greater one solves it, too."""
    small, large = answers("v", 5), answers("v", 2, HUNDRED, first=10)
    assert result(small, large).stable("v") == [(TEN, 13), (HUNDRED, 18)]


def test_errors_of_shares_are_wilson_s_intervals() -> None:
    """The interval is wide for few positions, and never empty."""
    assert Share(10, 20).error95 == pytest.approx(0.2008, abs=1e-3)
    assert 0 < Share(0, 20).error95 < 0.1
    assert Share(0, 0).error95 == 0


def test_junit_fails_what_regressed() -> None:
    """One case for each bot and budget; a regression is a failure."""
    now = result(answers("v", 9), answers("v", 0, HUNDRED))
    steps = compare(now, stored(answers("v", 0), answers("v", 0, HUNDRED)))
    text = suite_junit(now, steps)
    assert text.count("<testcase") == 2
    assert text.count("<failure") == 1
    assert 'failures="1"' in text
