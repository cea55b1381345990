"""The page of a gate: verdict, test, cost, and lost games."""

from collections.abc import Sequence

from ladder.experiments.gate.result import BaselineResult, GateResult, Verdict
from ladder.experiments.gate.session import GateOutcome
from ladder.results.standings.showcase import ShownGame
from reports.gate.text import gate_markdown, remarks
from reports.html.charts.gate import pentanomial_chart
from reports.html.figures import Figure
from reports.html.page import render
from reports.html.sections.failures import failures, failures_table
from reports.html.sections.trials import COLOURS, llr_figure
from reports.html.sections.verdict import machine_facts
from reports.html.tables import Cell, Table, headings, number, table_of
from reports.html.viewer import viewer_game
from reports.html.words import as_sentence, games_in_time
from reports.layout.elo import elo_words
from reports.layout.format import wdl_text

SECTIONS = (
    ("verdict", "Verdict"),
    ("test", "Test"),
    ("counts", "Pairs"),
    ("cost", "Cost"),
    ("paste", "Pull request"),
    ("failures", "Failures"),
    ("games-section", "Games"),
)
POINTS = ("0", "½", "1", "1½", "2")
"""Points of a pair, in the order of pentanomial counts."""


def gate_page(gated: GateOutcome, games: Sequence[ShownGame]) -> str:
    """Return the whole page as one string of HTML.

    Args:
        gated: the verdict.
        games: games of the candidate for the replay viewer.

    """
    result = gated.result
    llr, pairs = llr_figure(result, "llr"), pairs_figure(result)
    viewed = [viewer_game(shown.game, shown.reason.value) for shown in games]
    against = ", ".join(baseline.name for baseline in result.baselines)
    played = (result.candidate, *(baseline.name for baseline in result.baselines))
    return render(
        "gate.html.j2",
        charts=(llr, pairs),
        games=viewed,
        title=f"{result.verdict.value}: {result.candidate} against {against}",
        heading=f"Is {result.candidate} worse than {against}?",
        word=result.verdict.value,
        colour=COLOURS[result.verdict.value],
        reason=as_sentence(result.reason, played),
        remarks=[as_sentence(remark, played) for remark in remarks(gated)],
        sections=SECTIONS,
        warnings=_warnings(gated),
        facts=_facts(gated),
        max_drop=f"{result.test.max_drop:g}",
        has_early_test=any(baseline.early is not None for baseline in result.baselines),
        llr=llr,
        pairs=pairs,
        estimates=estimates_table(result.baselines),
        spent=f"So far: {games_in_time(result.games, result.seconds)}.",
        cost=_cost(result),
        markdown=gate_markdown(gated),
        forfeits=failures_table(
            {name: counts for name, counts in result.forfeits.items() if any(counts.values())}
        ),
        failures_shown=failures(games),
        shown=_shown(len(viewed), result.candidate),
    )


def _warnings(gated: GateOutcome) -> list[str]:
    found: list[str] = []
    if gated.stopped:
        found.append("The gate was stopped before a decision; the same command resumes it.")
    if gated.result.verdict is Verdict.INVALID:
        found.append("The gate is invalid, so its games say nothing about strength.")
    return found


def _facts(gated: GateOutcome) -> list[tuple[str, str]]:
    result, test = gated.result, gated.result.test
    return [
        ("Candidate", result.candidate),
        ("Against", ", ".join(baseline.name for baseline in result.baselines)),
        ("Division", gated.conditions),
        ("Largest acceptable drop", f"{test.max_drop:g} {test.model.value} Elo"),
        ("Chance of a wrong pass", f"{test.alpha:.2%}"),
        ("Chance of a wrong failure", f"{test.beta:.2%}"),
        ("Games counted", f"{result.games:,} of at most {test.games:,}"),
        *machine_facts(),
    ]


def pairs_figure(result: GateResult) -> Figure:
    """Return the figure of pairs by the candidate's points."""
    rows = [
        {"points": POINTS[place], "pairs": count, "against": baseline.name}
        for baseline in result.baselines
        for place, count in enumerate(baseline.pentanomial)
    ]
    return Figure(
        name="pairs",
        label="Pairs by the candidate's points",
        caption="Pairs by the candidate's points",
        table=Table(
            headings("against", *(f"#{points}" for points in POINTS)),
            [
                (Cell(baseline.name), *(number(count) for count in baseline.pentanomial))
                for baseline in result.baselines
            ],
        ),
        spec=pentanomial_chart(rows) if result.games else None,
    )


def estimates_table(baselines: Sequence[BaselineResult]) -> Table:
    """Return the table of games, Elo and LLR, with a row per baseline."""
    return table_of(
        baselines,
        ("against", "name"),
        ("#games", "games"),
        ("#won-drawn-lost", lambda each: Cell(wdl_text(each.wdl))),
        ("#Elo", lambda each: Cell(elo_words(each.estimate))),
        ("#corrected for stopping", _after_stopping),
        (
            "#chance to be better",
            lambda each: number(each.after_stopping and each.after_stopping.los, ".1%"),
        ),
        ("#LLR", lambda each: number(each.sprt.llr, ".2f")),
        ("#distinct pairs", "distinct_pairs"),
    )


def _after_stopping(baseline: BaselineResult) -> Cell:
    after = baseline.after_stopping
    if after is None or baseline.estimate.is_bound:
        return Cell("-")
    return Cell(f"{after.elo:+.1f} ({after.low95:+.1f} .. {after.high95:+.1f})")


def _cost(result: GateResult) -> Table:
    return table_of(
        result.baselines,
        ("against", "name"),
        ("#equally strong", lambda each: number(each.expected.if_equal)),
        (f"#worse by {result.test.max_drop:g} Elo", lambda each: number(each.expected.if_worse)),
        ("#as measured", lambda each: number(each.expected.as_measured)),
        ("#played", "games"),
    )


def _shown(count: int, candidate: str) -> str:
    if not count:
        return ""
    return (
        f"This file has {count:,} games that {candidate} lost: forfeits, the shortest losses and "
        "the latest losses."
    )
