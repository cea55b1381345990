"""Findings as HTML files, with their figures."""

from collections.abc import Sequence

from ladder.results.standings.report_data import ShownGame
from reports.findings.finding import Finding, finding_markdown
from reports.html.figures import Figure
from reports.html.page import render
from reports.html.viewer import failures, viewer_game

SECTIONS = (
    ("verdict", "Verdict"),
    ("evidence", "Evidence"),
    ("paste", "Pull request"),
)
GAME_SECTIONS = (("failures", "Failures"), ("games-section", "Games"))


def finding_page(
    finding: Finding,
    figures: Sequence[Figure] = (),
    folded: Sequence[Figure] = (),
    games: Sequence[ShownGame] = (),
) -> str:
    """Return the page of a finding as one string of HTML.

    Args:
        finding: the finding.
        figures: its figures.
        folded: those that are shown with the numbers of the test.
        games: lost games of the candidate for the replay viewer.

    """
    viewed = [viewer_game(shown.game, shown.reason.value) for shown in games]
    return render(
        "finding.html.j2",
        charts=[*figures, *folded],
        games=viewed,
        title=f"{finding.word}: {finding.question}",
        sections=(*SECTIONS, *(GAME_SECTIONS if viewed else ())),
        finding=finding,
        figures=figures,
        folded=folded,
        facts=finding.facts,
        markdown=finding_markdown(finding),
        failures_shown=failures([each.game for each in games]),
        shown=f"This file has {len(viewed):,} lost games: forfeits, the shortest and the latest."
        if viewed
        else "",
    )
