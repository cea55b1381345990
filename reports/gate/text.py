"""A gate's verdict as plain data, as text and as Markdown."""

import math
from typing import Any

from ladder.experiments.gate.result import BaselineResult, Verdict
from ladder.experiments.gate.session import GateOutcome
from ladder.stats.sprt import State
from reports.layout.elo import elo_words, interval_values
from reports.layout.format import (
    labelled,
    markdown_table,
    markdown_text,
    rounded,
    text_of_lines,
    values_of,
    wdl_text,
)

NO_GAMES = "no games were counted"


def gate_document(gated: GateOutcome) -> dict[str, Any]:
    """Return the document of `ladder gate --json`.

    Its numbers are those of the `deciding` baseline; `baselines` has the numbers of all.
    """
    result = gated.result
    deciding = _baseline_document(result.deciding)
    return {
        "candidate": result.candidate,
        "against": [baseline.name for baseline in result.baselines],
        "verdict": result.verdict.value,
        "exit_code": gated.exit_code,
        "deciding": deciding.pop("name"),
        "early": deciding.pop("early"),
        **deciding,
        "elo0": -result.test.max_drop,
        "elo1": 0.0,
        "model": result.test.model.value,
        "alpha": result.test.alpha,
        "beta": result.test.beta,
        "max_games": result.test.games,
        "conditions": gated.conditions,
        "forfeits": {name: dict(kinds) for name, kinds in result.forfeits.items()},
        "total_games": result.games,
        "uncounted_games": result.uncounted_games,
        "baselines": [_baseline_document(baseline) for baseline in result.baselines],
        "reason": result.reason,
    }


def _baseline_document(baseline: BaselineResult) -> dict[str, Any]:
    plain, after = baseline.estimate, baseline.after_stopping
    return {
        "name": baseline.name,
        "same_content": baseline.is_same_content,
        **values_of(baseline, "games", "pentanomial", "wdl", "distinct_pairs", "replayed_games"),
        **interval_values(plain),
        "los": rounded(plain.los, 4),
        "elo_after_stopping": after and round(after.elo, 2),
        "interval95_after_stopping": after and [round(after.low95, 2), round(after.high95, 2)],
        "los_after_stopping": after and round(after.los, 4),
        "llr": round(baseline.sprt.llr, 4),
        "llr_distinct": round(baseline.sprt_distinct.llr, 4),
        "bounds": [round(baseline.sprt.lower, 4), round(baseline.sprt.upper, 4)],
        "early": _early_document(baseline),
        "reasons": {} if baseline.games else {"elo": NO_GAMES, "los": NO_GAMES},
    }


def _early_document(baseline: BaselineResult) -> dict[str, Any] | None:
    if baseline.early is None:
        return None
    is_pass = baseline.early.state is State.ACCEPT_H1
    return {
        "side": (Verdict.PASS if is_pass else Verdict.REGRESSION).value,
        "e_value": float(f"{math.exp(baseline.early.log_e):.6g}"),
        "games": baseline.games,
    }


def gate_text(gated: GateOutcome) -> str:
    """Return the verdict, the test and the numbers against each baseline as text."""
    result, test = gated.result, gated.result.test
    against = ", ".join(baseline.name for baseline in result.baselines)
    lines = [
        f"{result.verdict.value.upper()}: {result.reason}",
        "",
        f"{result.candidate} against {against} on {gated.conditions}; a drop of {test.max_drop:g} "
        f"{test.model.value} Elo, alpha {test.alpha:g}, beta {test.beta:g}, at most "
        f"{test.games} games",
    ]
    for baseline in result.baselines:
        lines += ["", *labelled(_rows(baseline), 22)]
    lines += ["", f"forfeits: {_forfeits(gated)}", *remarks(gated)]
    return text_of_lines(lines)


def gate_markdown(gated: GateOutcome) -> str:
    """Return the verdict as a section of Markdown."""
    result = gated.result
    columns = ("against", "games", "won-drawn-lost", "pairs 0 ½ 1 1½ 2", "Elo", "LLR", "bounds")
    lines = [
        f"### ladder gate: {result.verdict.value.upper()}",
        "",
        markdown_text(result.reason),
        "",
    ]
    rows = [
        (
            baseline.name,
            str(baseline.games),
            wdl_text(baseline.wdl),
            " ".join(map(str, baseline.pentanomial)),
            elo_words(baseline.estimate),
            f"{baseline.sprt.llr:.2f}",
            f"{baseline.sprt.lower:.2f} .. {baseline.sprt.upper:.2f}",
        )
        for baseline in result.baselines
    ]
    lines.append(markdown_table(columns, rows))
    test = result.test
    lines += [
        "",
        f"{markdown_text(result.candidate)} on {markdown_text(gated.conditions)}; a drop of "
        f"{test.max_drop:g} {test.model.value} Elo, alpha {test.alpha:g}, beta {test.beta:g}. "
        f"Forfeits: {markdown_text(_forfeits(gated))}.",
        *(f"\n{markdown_text(remark)}." for remark in remarks(gated)),
        "",
    ]
    return "\n".join(lines)


def _rows(baseline: BaselineResult) -> list[tuple[str, str]]:
    sprt = baseline.sprt
    rows = [
        (f"against {baseline.name}", f"{baseline.games} games: {wdl_text(baseline.wdl)}"),
        ("pairs 0 1/2 1 3/2 2", " ".join(map(str, baseline.pentanomial))),
        ("Elo", elo_words(baseline.estimate)),
    ]
    after = baseline.after_stopping
    # The bound of a shutout needs no correction for early stopping: no result stops earlier.
    if after is not None and not baseline.estimate.is_bound:
        rows.append(
            (
                "corrected for stopping",
                f"{after.elo:+.1f} Elo, 95 %: {after.low95:+.1f} .. {after.high95:+.1f}",
            )
        )
    if after is not None:
        rows.append(("chance to be better", f"{after.los:.1%}"))
    rows.append(("LLR", f"{sprt.llr:.2f}, bounds {sprt.lower:.2f} and {sprt.upper:.2f}"))
    if baseline.early is not None:
        decided, limit = baseline.early.log_e, baseline.early.log_limit
        rows.append(("early test", f"e-value {math.exp(decided):.0f}, limit {math.exp(limit):.0f}"))
    if baseline.distinct_pairs < baseline.pairs:
        rows.append(
            (
                "distinct pairs",
                f"{baseline.distinct_pairs} of {baseline.pairs}, "
                f"LLR of distinct pairs only {baseline.sprt_distinct.llr:.2f}",
            )
        )
    return rows


def remarks(gated: GateOutcome) -> list[str]:
    """Return remarks about the numbers."""
    result = gated.result
    remarks = [
        f"{result.candidate} and {baseline.name} have the same content: this gate is a control"
        for baseline in result.baselines
        if baseline.is_same_content
    ]
    replayed = sum(baseline.replayed_games for baseline in result.baselines)
    if replayed:
        remarks.append(
            f"{replayed} stored games are not counted: they repeat the board, opening and seed of "
            "counted games"
        )
    return remarks


def _forfeits(gated: GateOutcome) -> str:
    listed = [
        f"{name} {count} {kind}"
        for name, kinds in gated.result.forfeits.items()
        for kind, count in kinds.items()
        if count
    ]
    return ", ".join(listed) or "none"
