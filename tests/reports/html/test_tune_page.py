"""The pages of a tuning and of a night as text."""

import pytest

from ladder.experiments.tune.bots import Registration
from reports.findings.finding import finding_text
from reports.findings.tune import tune_finding
from reports.html.findings import figures_of, finding_page, folded_figures_of
from reports.html.live.pages import commits_page
from reports.html.live.site import Frame, page_html
from tests.reports.html.test_gate_page import lost_gate
from tests.support.data.a_night import a_night
from tests.support.data.tuned import a_tuning


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "is_gated"), [(0, False), (1, False), (40, True)])
def test_a_tuning_has_a_page_at_any_time(steps: int, is_gated: bool) -> None:
    """It has a chart for each parameter once there are steps, and the chart of the gate."""
    kept = Registration("better", False, "the gate's verdict is regression") if is_gated else None
    made = a_tuning(steps, lost_gate(200) if is_gated else None, kept=kept)
    finding, figures, folded = tune_finding(made), figures_of(made), folded_figures_of(made)
    page = finding_page(finding, figures, folded)
    for chart in ("parameter-0", "parameter-1"):
        assert (f'data-chart="{chart}"' in page) == bool(steps)
    assert ('data-chart="llr"' in page) == is_gated
    if is_gated:
        assert "not registered: the gate&#39;s verdict is regression" in page
        assert finding.word == "regression"
    else:
        assert finding.word == "no verdict"
        assert "the same command resumes it" in finding_text(finding)


@pytest.mark.slow
def test_the_page_of_commits_has_the_command_that_finds_one() -> None:
    """A drop over several commits is shown with the bisection of its two ends."""
    ends = "1" * 10, "2" * 10
    made = commits_page(a_night(), [], lambda changes: " ".join(["ladder", *changes.values()]))
    page = page_html(made, Frame("night.db", "token"))
    assert f"ladder bisect {ends[0]} {ends[1]}" in page
