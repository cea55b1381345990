"""The findings of gates and matches."""

import math
from collections.abc import Callable, Sequence
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
from reports.layout.elo import difference_fields, points_fields
from reports.layout.fields import ALWAYS, Field, Table, plain_values
from reports.layout.format import number, repeated_text, rounded, values_of, wdl_text

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
    return {
        **plain_values((*GAMES, *TEST), baseline),
        "early": _early_document(baseline, failed),
        "reasons": {} if baseline.record.games else {"elo": NO_GAMES, "los": NO_GAMES},
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
    met = result.baselines
    names = [baseline.name for baseline in met]
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
        tables=[
            Table(GAMES, met, caption=f"{result.candidate} against each baseline"),
        ],
        details=[
            Table(TEST, met, caption="Numbers of the test"),
            Table(
                (AGAINST, *points_fields(lambda each: each.record.pentanomial)),
                met,
                caption=f"Pairs by the points of {result.candidate}",
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


def _after_stopping(baseline: BaselineResult, _: object) -> str:
    after = baseline.after_stopping
    # The bound of a shutout needs no correction for early stopping: no result stops earlier.
    if after is None or baseline.difference.error95 is None:
        return "-"
    return f"{after.elo:+.1f} ({after.low95:+.1f} .. {after.high95:+.1f})"


def _corrected(baseline: BaselineResult) -> float | None:
    after = baseline.after_stopping
    return None if after is None else after.los


def _interval(baseline: BaselineResult) -> list[float] | None:
    after = baseline.after_stopping
    return None if after is None else [round(after.low95, 2), round(after.high95, 2)]


def _has_early(baselines: Sequence[BaselineResult], _: object) -> bool:
    return any(each.early for each in baselines)


def _e_value(name: str) -> Callable[[BaselineResult], float | None]:
    return lambda each: None if each.early is None else math.exp(getattr(each.early, name))


AGAINST = Field(head="against", text=lambda each, _: each.name)
GAMES = (
    Field("name", "against"),
    Field("same_content", value=lambda each: each.is_same_content),
    Field("games", "games", form=",d", value=lambda each: each.record.games),
    Field("pentanomial", value=lambda each: list(each.record.pentanomial)),
    Field("wdl", "won-drawn-lost", form="d", value=lambda each: list(each.record.wdl),
          text=lambda each, _: wdl_text(each.record.wdl), sort=lambda _: None),
    Field(head="score", form=".1%", value=lambda each: each.record.score),
    Field("distinct_pairs", value=lambda each: each.record.distinct),
    Field("replayed_games"),
    *difference_fields(lambda each: each.difference, level=ALWAYS),
)  # fmt: skip
"""The columns of the games against each baseline."""
TEST = (
    AGAINST,
    Field("llr", "LLR", digits=4, form=".2f", value=lambda each: each.sprt.llr),
    Field("bounds", "bounds", form="d",
          value=lambda each: [round(each.sprt.lower, 4), round(each.sprt.upper, 4)],
          text=lambda each, _: f"{each.sprt.lower:.2f} .. {each.sprt.upper:.2f}",
          sort=lambda _: None),
    Field("elo_after_stopping", "Elo, corrected for stopping", digits=2, form="d",
          value=lambda each: each.after_stopping and each.after_stopping.elo,
          text=_after_stopping),
    Field("interval95_after_stopping", value=_interval),
    Field("los_after_stopping", "chance, corrected", digits=4, form="d", value=_corrected,
          text=lambda each, _: chance_words(_corrected(each))),
    Field(head="distinct pairs", form="d",
          text=lambda each, _: f"{each.record.distinct} of {each.record.pairs}"),
    Field("llr_distinct", "LLR of these", digits=4, form=".2f",
          value=lambda each: each.sprt_distinct.llr),
    Field(head="e-value", form=".0f", value=_e_value("log_e"), shown=_has_early),
    Field(head="its limit", form=".0f", value=_e_value("log_limit"), shown=_has_early),
)  # fmt: skip
"""The columns of the numbers of a test."""


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
        details=[
            Table(
                points_fields(lambda each: each.record.pentanomial),
                [met],
                caption=f"pairs by the points of {met.a}",
            )
        ],
        notes=_notes(record),
        names=(met.a, met.b),
        document=match_document(met),
    )


def _notes(record: Record) -> list[str]:
    if record.distinct is None or record.distinct == record.pairs:
        return []
    return [
        f"{record.distinct} of {record.pairs} pairs are distinct: the interval counts equal pairs "
        "once"
    ]
