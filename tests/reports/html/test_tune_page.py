"""The page of a tuning, in a real browser and as text."""

from collections.abc import Sequence

import pytest

from ladder.experiments.tune.bots import Registration
from ladder.experiments.tune.session import TuningOutcome
from ladder.results.standings.report_data import ReportData, ShownGame
from reports.findings.finding import finding_text
from reports.findings.tune import tune_finding
from reports.html.experiment_figures import figures_of, folded_figures_of
from reports.html.findings import finding_page
from tests.reports.html.conftest import Open
from tests.reports.html.test_gate_page import lost_gate
from tests.support.data.tuned import a_tuning


def tune_page(tuned: TuningOutcome, games: Sequence[ShownGame]) -> str:
    """Return the page of a tuning."""
    finding = tune_finding(tuned)
    return finding_page(finding, figures_of(tuned), folded_figures_of(tuned), games)


@pytest.mark.slow
def test_a_tuning_is_drawn_to_its_verdict(open_page: Open, data: ReportData) -> None:
    """The page has a chart for each parameter and the gate, and is accessible."""
    kept = Registration("better", False, "the gate's verdict is regression")
    made = a_tuning(40, lost_gate(200), kept=kept)
    seen = open_page(tune_page(made, data.games[:3]))
    page = seen.page
    assert (seen.requests, seen.errors) == ([], [])
    assert page.inner_text("h1").startswith("REGRESSION Is builtin:v18 better")
    for chart in ("parameter-0", "parameter-1"):
        assert page.locator(f"#chart-{chart} .mark-line.role-mark path").count() == 1
        assert page.locator(f"#chart-{chart} .mark-area.role-mark path").count() == 1
    page.locator("details.fold summary").first.click()
    page.wait_for_selector("#chart-llr svg")
    assert page.locator("#chart-llr .mark-line.role-mark path").count() == 1
    assert "not registered: the gate's verdict is regression" in page.inner_text("#evidence")
    assert page.locator("#game-list tbody tr").count() == 3
    assert seen.violations() == ""


@pytest.mark.slow
def test_a_tuning_that_was_stopped_has_a_page() -> None:
    """Without steps there is no chart, and without a gate no verdict."""
    for steps in (0, 1):
        made = a_tuning(steps, None)
        page = tune_page(made, [])
        assert "no verdict" in page
        assert ('data-chart="parameter-0"' in page) == bool(steps)
        assert "the same command resumes it" in finding_text(tune_finding(made))
