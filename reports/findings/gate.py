"""The findings of gates and matches."""

import math
from collections.abc import Sequence
from typing import Any

from db.records.record import Record
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import BaselineResult, GateResult, Verdict
from ladder.experiments.gate.session import GateOutcome
from ladder.names import counted
from ladder.results.standings.head_to_head import HeadToHead
from ladder.stats.difference import chance_words
from ladder.stats.sprt import State
from ladder.stats.sprt_estimate import forecast_test
from reports.findings.finding import Case, Finding
from reports.layout.format import number, repeated_text, rounded, values_of, wdl_text
from reports.layout.listing import Titled
from reports.layout.table import Column

NO_GAMES = "no games were counted"
TYPICAL = (14, 1, 70, 1, 14)
"""Pairs by points between equal players on `thu`, of which 70 % are tied."""


def gate_document(gated: GateOutcome) -> dict[str, Any]:
    """Return the document of `ladder gate --json`.

    Its numbers are those of the `deciding` baseline; `baselines` has the numbers of all.
    """
    result = gated.result
    failed = Verdict.NO_GAIN if result.test.is_better else Verdict.REGRESSION
    deciding = _baseline_document(result.deciding, failed)
    del deciding["verdict"]  # that of the gate stands here
    return {
        "candidate": result.candidate,
        "against": [baseline.name for baseline in result.baselines],
        "verdict": result.verdict.value,
        "exit_code": gated.exit_code,
        "repeated": gated.answered_at is not None,
        "asked_before": [{"run": run, "verdict": word} for run, word in gated.asked_before],
        "deciding": deciding.pop("name"),
        "early": deciding.pop("early"),
        **deciding,
        "question": result.test.question,
        "elo0": result.test.elo0,
        "elo1": result.test.elo1,
        "model": result.test.model.value,
        "alpha": result.test.alpha,
        "beta": result.test.beta,
        "max_games": result.test.games,
        "conditions": gated.conditions,
        "forfeits": {name: dict(kinds) for name, kinds in result.forfeits.items()},
        "total_games": result.games,
        "uncounted_games": result.uncounted_games,
        "baselines": [_baseline_document(baseline, failed) for baseline in result.baselines],
        "reason": result.reason,
    }


def _baseline_document(baseline: BaselineResult, failed: Verdict) -> dict[str, Any]:
    record, after = baseline.record, baseline.after_stopping
    return {
        "name": baseline.name,
        "same_content": baseline.is_same_content,
        **values_of(record, "games", "pentanomial", "wdl"),
        "distinct_pairs": record.distinct,
        "replayed_games": baseline.replayed_games,
        **baseline.difference.values(),
        "elo_after_stopping": after and round(after.elo, 2),
        "interval95_after_stopping": after and [round(after.low95, 2), round(after.high95, 2)],
        "los_after_stopping": after and round(after.los, 4),
        "llr": round(baseline.sprt.llr, 4),
        "llr_distinct": round(baseline.sprt_distinct.llr, 4),
        "bounds": [round(baseline.sprt.lower, 4), round(baseline.sprt.upper, 4)],
        "early": _early_document(baseline, failed),
        "reasons": {} if record.games else {"elo": NO_GAMES, "los": NO_GAMES},
    }


def _early_document(baseline: BaselineResult, failed: Verdict) -> dict[str, Any] | None:
    if baseline.early is None:
        return None
    is_pass = baseline.early.state is State.ACCEPT_H1
    return {
        "side": (Verdict.PASS if is_pass else failed).value,
        "e_value": float(f"{math.exp(baseline.early.log_e):.6g}"),
        "games": baseline.record.games,
    }


def expected_lines(test: GateTest, baselines: int) -> list[str]:
    """Return the expected number of games, and a warning if it is above the limit.

    Wald (1945), Siegmund (1985).
    """
    sprt = test.sprt(baselines)
    at0, at1, between = (
        round(forecast_test(elo=elo, counts=TYPICAL, test=sprt).games * baselines, -1)
        for elo in (sprt.elo0, sprt.elo1, (sprt.elo0 + sprt.elo1) / 2)
    )
    lines = [
        f"about {at1:,.0f} games are expected if {test.words1}, {at0:,.0f} if {test.words0} and "
        f"{between:,.0f} between (for pairs of which 70 % are tied); plain cases take fewer"
    ]
    if min(at0, at1) > test.games:
        remedy = "raise --max-games, or ask for a larger difference"
        lines.append(f"warning: that is more than --max-games {test.max_games}: {remedy}")
    return lines


def gate_finding(gated: GateOutcome) -> Finding:
    """Return the finding of a gate: the verdict, the games against each baseline, and the test."""
    result, test = gated.result, gated.result.test
    names = [baseline.name for baseline in result.baselines]
    against = ", ".join(names)
    wanted = "better" if test.is_better else "not worse"
    facts = [
        ("Division", gated.conditions),
        ("Question", test.asked),
        ("Chance of a wrong pass", f"{test.alpha:.4g}"),
        ("Chance of a wrong failure", f"{test.beta:.4g}"),
        ("Games counted", f"{result.games:,} of at most {test.games:,}{_in_play(result)}"),
        ("Forfeits", _forfeits(gated)),
    ]
    return Finding(
        kind="gate",
        question=f"Is {result.candidate} {'better' if test.is_better else 'worse'} than {against}?",
        word="no verdict" if gated.stopped else result.verdict.word,
        sentence=result.reason,
        facts=facts,
        tables=[Titled(f"{result.candidate} against each baseline", _games_columns(result))],
        details=[
            Titled("Numbers of the test", _test_columns(result)),
            Titled(
                f"Pairs by the points of {result.candidate}",
                [
                    _names(result),
                    *points_columns([each.record.pentanomial for each in result.baselines]),
                ],
            ),
        ],
        notes=_remarks(gated),
        names=(result.candidate, *names),
        document=gate_document(gated),
        cases=[
            Case(f"{wanted} than {each.name}", _problem(result.verdict, each.state), each.seconds)
            for each in result.baselines
        ],
    )


def _problem(verdict: Verdict, state: State) -> str:
    if verdict is Verdict.INVALID:
        return "error"
    if state is State.ACCEPT_H0:
        return "failure"
    if verdict is Verdict.INCONCLUSIVE and state is State.CONTINUE:
        return "error"
    # Undecided because another baseline's regression ended the gate: not an error of this case.
    return ""


def _names(result: GateResult) -> Column:
    return Column("against", [each.name for each in result.baselines], number=False)


def _games_columns(result: GateResult) -> list[Column]:
    found = result.baselines
    cells = [each.difference.cells() for each in found]
    return [
        _names(result),
        Column("games", [f"{each.record.games:,}" for each in found]),
        Column("won-drawn-lost", [wdl_text(each.record.wdl) for each in found]),
        Column("score", [number(each.record.score, ".1%") for each in found]),
        *(
            Column(head, [cell[place] for cell in cells])
            for place, head in enumerate(("Elo", "95 %", "chance to be better"))
        ),
    ]


def _test_columns(result: GateResult) -> list[Column]:
    found = result.baselines
    after = [each.after_stopping for each in found]
    chances = [None if each is None else each.los for each in after]
    columns = [
        _names(result),
        Column("LLR", [f"{each.sprt.llr:.2f}" for each in found]),
        Column("bounds", [f"{each.sprt.lower:.2f} .. {each.sprt.upper:.2f}" for each in found]),
        Column("Elo, corrected for stopping", [_after_stopping(each) for each in found]),
        Column("chance, corrected", [*map(chance_words, chances)]),
        Column(
            "distinct pairs", [f"{each.record.distinct} of {each.record.pairs}" for each in found]
        ),
        Column("LLR of these", [f"{each.sprt_distinct.llr:.2f}" for each in found]),
    ]
    early = [each.early for each in found]
    if any(early):
        values = ["-" if each is None else f"{math.exp(each.log_e):.0f}" for each in early]
        limits = ["-" if each is None else f"{math.exp(each.log_limit):.0f}" for each in early]
        columns += [Column("e-value", values), Column("its limit", limits)]
    return columns


def _after_stopping(baseline: BaselineResult) -> str:
    after = baseline.after_stopping
    # The bound of a shutout needs no correction for early stopping: no result stops earlier.
    if after is None or baseline.difference.error95 is None:
        return "-"
    return f"{after.elo:+.1f} ({after.low95:+.1f} .. {after.high95:+.1f})"


def _remarks(gated: GateOutcome) -> list[str]:
    """Return notes about the numbers."""
    result = gated.result
    remarks = [
        f"{result.candidate} and {baseline.name} have the same content: this gate is a control"
        for baseline in result.baselines
        if baseline.is_same_content
    ]
    if gated.answered_at is not None:
        remarks.append(repeated_text(gated.run_id or 0, gated.answered_at))
    if gated.asked_before:
        earlier = ", ".join(
            f"run {run} {word.replace('_', ' ')}" for run, word in gated.asked_before
        )
        remarks.append(f"the same question was asked before: {earlier}")
    replayed = sum(baseline.replayed_games for baseline in result.baselines)
    if replayed:
        remarks.append(
            f"{replayed} stored games are not counted: they repeat the board, opening and seed of "
            "counted games"
        )
    return remarks


def _in_play(result: GateResult) -> str:
    games = result.uncounted_games
    return f"; {games:,} more were in play or stored when it was decided" if games else ""


def _forfeits(gated: GateOutcome) -> str:
    listed = [
        f"{name} {count} {kind}"
        for name, kinds in gated.result.forfeits.items()
        for kind, count in kinds.items()
        if count
    ]
    return ", ".join(listed) or "none"


def match_document(met: HeadToHead) -> dict[str, Any]:
    """Return the object `match` of `ladder match --json`; Elo and LOS are null without games."""
    record = met.record
    return {
        "a": met.a,
        "b": met.b,
        **values_of(record, "wdl", "pentanomial"),
        "distinct_pairs": record.distinct,
        "score": rounded(record.score, 4),
        **met.difference.values(),
    }


def match_finding(met: HeadToHead, conditions: str) -> Finding:
    """Return the finding of a match.

    Args:
        met: from the side of the first bot.
        conditions: the label of the division.

    """
    record, difference = met.record, met.difference
    wins, draws, losses = record.wdl
    return Finding(
        kind="match",
        question=f"Which is stronger, {met.a} or {met.b}?",
        word=difference.word,
        sentence=f"{difference.sentence(met.a, met.b)}, after {counted(record.games, 'game')}",
        facts=[
            ("games", f"+{wins} ={draws} -{losses} on {conditions}"),
            ("score", number(record.score, ".1%")),
            ("Elo difference", difference.words()),
            ("chance to be better", difference.chance_words()),
        ],
        details=[Titled(f"pairs by the points of {met.a}", points_columns([record.pentanomial]))],
        notes=_notes(record),
        names=(met.a, met.b),
        document=match_document(met),
    )


def points_columns(pairs: Sequence[Sequence[int]]) -> list[Column]:
    """Return the columns of pairs by points: 0, 1/2, 1, 3/2, 2."""
    return [
        Column(head, [str(each[place]) for each in pairs])
        for place, head in enumerate(("0", "½", "1", "1½", "2"))
    ]


def _notes(record: Record) -> list[str]:
    if record.distinct is None or record.distinct == record.pairs:
        return []
    return [
        f"{record.distinct} of {record.pairs} pairs are distinct: the interval counts equal pairs "
        "once"
    ]
