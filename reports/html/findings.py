"""Findings on pages: an HTML file for any experiment, and the parts of a run's page."""

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.experiments.bisect.result import BisectResult
from ladder.experiments.gate.session import GateOutcome
from ladder.experiments.select.session import SelectionOutcome
from ladder.experiments.stored import RunResult
from ladder.experiments.tune.session import TuningOutcome
from ladder.results.standings.report_data import ShownGame
from reports.findings.finding import Finding, finding_markdown
from reports.html.figures import Figure
from reports.html.page import render
from reports.html.sections.experiments import (
    bisection_figures,
    selection_figures,
    tuning_figures,
)
from reports.html.sections.failures import failures
from reports.html.sections.trials import llr_figure, pairs_figure
from reports.html.sections.verdict import machine_facts
from reports.html.tables import Table, table_from_columns
from reports.html.viewer import viewer_game
from reports.html.words import as_sentence

SECTIONS = (
    ("verdict", "Verdict"),
    ("evidence", "Evidence"),
    ("paste", "Pull request"),
)
GAME_SECTIONS = (("failures", "Failures"), ("games-section", "Games"))


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingParts:
    """A finding as templates show it."""

    word: str
    colour: str
    question: str
    sentence: str
    facts: Sequence[tuple[str, str]]
    notes: Sequence[str]
    tables: Sequence[tuple[str, Table]]
    """Captions and tables."""
    figures: Sequence[Figure]
    details: Sequence[tuple[str, Table]]
    """The folded tables."""
    detail_figures: Sequence[Figure]

    @property
    def charts(self) -> list[Figure]:
        """All figures."""
        return [*self.figures, *self.detail_figures]


def finding_parts(
    finding: Finding, figures: Sequence[Figure] = (), detail_figures: Sequence[Figure] = ()
) -> FindingParts:
    """Return a finding as templates show it, with figures, of which some are folded."""
    return FindingParts(
        word=finding.word,
        colour=finding.colour,
        question=finding.question,
        sentence=as_sentence(finding.sentence, finding.names),
        facts=finding.facts,
        notes=[as_sentence(note, finding.names) for note in finding.notes],
        tables=[(each.caption, table_from_columns(each.columns)) for each in finding.tables],
        figures=figures,
        details=[(each.caption, table_from_columns(each.columns)) for each in finding.details],
        detail_figures=detail_figures,
    )


def parts_of(finding: Finding, result: RunResult) -> FindingParts:
    """Return a finding as templates show it, with the figures of its result."""
    gated = result.gated if isinstance(result, TuningOutcome) else result
    figures: list[Figure] = []
    folded: list[Figure] = []
    if isinstance(result, SelectionOutcome):
        figures = selection_figures(result)
    elif isinstance(result, BisectResult):
        figures = bisection_figures(result)
    elif isinstance(result, TuningOutcome):
        figures = tuning_figures(result)
    if isinstance(gated, GateOutcome) and gated.result.games:
        folded = [llr_figure(gated.result, "llr"), pairs_figure(gated.result)]
    return finding_parts(finding, figures, folded)


def finding_page(finding: Finding, parts: FindingParts, games: Sequence[ShownGame] = ()) -> str:
    """Return the page of a finding as one string of HTML.

    Args:
        finding: the finding.
        parts: the same as templates show it.
        games: lost games of the candidate for the replay viewer.

    """
    viewed = [viewer_game(shown.game, shown.reason.value) for shown in games]
    return render(
        "finding.html.j2",
        charts=parts.charts,
        games=viewed,
        title=f"{parts.word}: {parts.question}",
        sections=(*SECTIONS, *(GAME_SECTIONS if viewed else ())),
        finding=parts,
        facts=[*parts.facts, *machine_facts()],
        markdown=finding_markdown(finding),
        failures_shown=failures(games),
        shown=f"This file has {len(viewed):,} lost games: forfeits, the shortest and the latest."
        if viewed
        else "",
    )
