"""Gates and matches of a division."""

from collections.abc import Sequence
from dataclasses import dataclass

from db.records.runs import RunKind
from ladder.experiments.gate.result import GateResult
from ladder.experiments.gate.stored import HeadToHead
from reports.findings.finding import COLOURS
from reports.html.charts.gate import llr_chart, pentanomial_chart
from reports.html.figures import Figure, table_of_rows
from reports.html.tables import Cell, Table, number, table_of
from reports.html.words import as_sentence, games_in_time
from reports.layout.format import day, wdl_text

DRAWN = 3
"""Number of gates whose LLR history is drawn."""


@dataclass(frozen=True, slots=True)
class JudgedGate:
    """A gate with its result and its LLR history."""

    title: str
    sentence: str
    llr: Figure


def trials_table(trials: Sequence[HeadToHead]) -> Table:
    """Return the table of gates and matches."""
    return table_of(
        trials,
        ("#run", lambda trial: number(trial.run.id, "d")),
        ("kind", lambda trial: Cell(trial.run.kind.value)),
        ("started", lambda trial: Cell(day(trial.run.started_at), trial.run.started_at)),
        ("bot", "bot"),
        ("against", lambda trial: Cell(", ".join(trial.against))),
        ("verdict", _verdict),
        ("#games", lambda trial: number(trial.standing.games, ",d")),
        ("won-drawn-lost", lambda trial: Cell(wdl_text(trial.standing.wdl))),
        ("pairs 0 ½ 1 1½ 2", lambda each: Cell(" ".join(map(str, each.standing.pentanomial)))),
        ("LLR (bounds)", lambda each: Cell("-" if each.result is None else llr_text(each.result))),
        ("~note", lambda trial: Cell(trial.run.note)),
    )


def _verdict(trial: HeadToHead) -> Cell:
    if trial.run.kind is not RunKind.GATE:
        return Cell("-")
    if trial.verdict is None:
        return Cell(trial.run.status.value)
    word = trial.verdict.replace("_", " ")
    return Cell(word, verdict=COLOURS.get(word, "undecided"))


def llr_text(result: GateResult) -> str:
    """Return the deciding LLR with its bounds."""
    sprt = result.deciding.sprt
    return f"{sprt.llr:.2f} ({sprt.lower:.2f} .. {sprt.upper:.2f})"


def judged_gates(trials: Sequence[HeadToHead]) -> list[JudgedGate]:
    """Return the latest gates that have a result."""
    found = []
    for trial in trials:
        result = trial.result
        if result is None or not result.games:
            continue
        reason = as_sentence(result.reason, (trial.bot, *trial.against))
        found.append(
            JudgedGate(
                f"Run {trial.run.id}: {trial.bot} against {', '.join(trial.against)}",
                f"{reason} {games_in_time(result.games, result.seconds)}.",
                llr_figure(result, f"llr-{trial.run.id}"),
            )
        )
    return found[:DRAWN]


def llr_figure(result: GateResult, name: str) -> Figure:
    """Return the figure of the LLR history against each baseline."""
    rows = [
        {"pair": pair, "llr": round(ratio, 3), "against": baseline.name}
        for baseline in result.baselines
        for pair, ratio in baseline.llr_history
    ]
    sprt = result.deciding.sprt
    last = [
        {"against": baseline.name, "pair": pair, "llr": round(ratio, 2)}
        for baseline in result.baselines
        for pair, ratio in baseline.llr_history[:: max(len(baseline.llr_history) // 10, 1)]
    ]
    return Figure(
        name=name,
        label=f"Log-likelihood ratio over the pairs, between {sprt.lower:.2f} and {sprt.upper:.2f}",
        caption="Log-likelihood ratio over the pairs",
        table=table_of_rows(("against", "#pair", "#llr"), last),
        spec=llr_chart(rows, (sprt.lower, sprt.upper)) if rows else None,
    )


POINTS = ("0", "½", "1", "1½", "2")
"""Points of a pair, in the order of pentanomial counts."""


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
        table=None,
        spec=pentanomial_chart(rows) if result.games else None,
    )
