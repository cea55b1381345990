"""The page of a gate, in a real browser and as text."""

from collections.abc import Sequence
from typing import Any

import pytest

from db.records.pairs import PlayedPair
from engine.result import Result, Termination
from ladder.experiments.gate.judge import GateJudge
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.session import GateOutcome
from ladder.experiments.tally import JudgedBot
from ladder.results.standings.report_data import ReportData, ShownGame
from reports.findings.finding import finding_markdown
from reports.findings.gate import gate_finding
from reports.html.findings import figures_of, finding_page, folded_figures_of
from tests.reports.html.conftest import Open

FOUR = (Termination.FOUR_IN_A_ROW, Termination.FOUR_IN_A_ROW)


def lost_gate(pairs: int) -> GateOutcome:
    """Return a gate that the candidate loses."""
    judge = GateJudge(
        JudgedBot("new", 1, "a"), [JudgedBot("old", 2, "b")], GateTest(max_drop=50, early=0.0)
    )
    for number in range(pairs):
        results = (Result.LOSS, Result.WIN if number % 4 == 0 else Result.LOSS)
        judge.take(PlayedPair(number, 1, 2, "6x7", results, FOUR, ("6x7", "", number), number, 9))
    return GateOutcome(judge.result(), "6x7/20sims")


def gate_page(gated: GateOutcome, games: Sequence[ShownGame]) -> str:
    """Return the page of a gate."""
    finding = gate_finding(gated)
    return finding_page(finding, figures_of(gated), folded_figures_of(gated), games)


def ys(page: Any, mark: str) -> list[tuple[float, float]]:
    """Return the top and bottom of the LLR chart's marks of a kind, from top to bottom."""
    boxes = [each.bounding_box() for each in page.locator(f"#chart-llr .mark-{mark}").all()]
    return sorted((box["y"], box["y"] + box["height"]) for box in boxes)


@pytest.mark.slow
def test_a_failed_gate_is_drawn_to_its_decision(open_page: Open, data: ReportData) -> None:
    """The page has the verdict, charts, labels inside the bounds and games, and is accessible."""
    made = lost_gate(200)
    seen = open_page(gate_page(made, data.games[:5]))
    page = seen.page
    assert (seen.requests, seen.errors) == ([], [])
    assert page.inner_text("h1") == "REGRESSION Is new worse than old?"
    assert made.result.reason in page.inner_text(".lead")
    page.locator("details.fold summary").first.click()
    page.wait_for_selector("#chart-llr svg")
    assert page.locator("#chart-llr .mark-line.role-mark path").count() == 1
    (upper, lower), words = (
        ys(page, "rule.role-mark line"),
        ys(page, "text.role-mark text:not([stroke])"),
    )
    assert len(words) == 2
    assert all(upper[1] < top < bottom < lower[0] for top, bottom in words)
    assert page.inner_text("#markdown").strip() == finding_markdown(gate_finding(made)).strip()
    assert page.locator("#game-list tbody tr").count() == 5
    assert seen.violations() == ""


@pytest.mark.parametrize("pairs", [0, 1])
def test_a_gate_without_games_has_a_page(pairs: int) -> None:
    """With at most one pair the gate is inconclusive, and without pairs there is no chart."""
    page = gate_page(lost_gate(pairs), [])
    assert "inconclusive" in page
    assert ('data-chart="llr"' in page) == bool(pairs)
