"""Gate verdicts as XML, Markdown and annotations, also with hostile names."""

import re
from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest

from db.records.pairs import PlayedPair
from engine.result import Result, Termination
from ladder.cli.commands.gate import annotations
from ladder.experiments.gate.judge import GateJudge
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.session import GateOutcome
from ladder.experiments.tally import JudgedBot
from reports.findings.finding import finding_junit, finding_markdown, finding_text
from reports.findings.gate import expected_lines, gate_document, gate_finding
from reports.layout.format import annotation

EVIL = "a|b<c>&\"'\x00\x1b[31m%0A::error::`x`\ud800" + "y" * 5000


def gated(*, results: tuple[Result, Result] = (Result.LOSS, Result.LOSS)) -> GateOutcome:
    """Return a gate against two bots; the candidate and the second bot have hostile names."""
    judge = GateJudge(
        JudgedBot(EVIL, 1, "a"),
        [JudgedBot("plain", 2, "b"), JudgedBot(EVIL + "2", 3, "c")],
        GateTest(),
    )
    four = (Termination.FOUR_IN_A_ROW, Termination.FOUR_IN_A_ROW)
    for number in range(200):
        draw = ("6x7", "", number)
        judge.take(
            PlayedPair(number, 1, 2 + number % 2, "6x7", results, four, draw, number, 250_000)
        )
    return GateOutcome(judge.result(), "6x7/20sims")


@pytest.mark.slow
def test_xml_holds_any_name_in_the_common_order() -> None:
    """The document has the elements and attributes of Ant's schema in their order."""
    text = finding_junit(gate_finding(gated()), now=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    root = ElementTree.fromstring(text.encode())
    suite = root[0]
    assert root.tag == "testsuites"
    assert not root.attrib
    assert [child.tag for child in suite] == [
        "properties", "testcase", "testcase", "system-out", "system-err",
    ]  # fmt: skip
    assert suite.get("timestamp") == "2026-01-02T03:04:05"
    required = {"name", "timestamp", "hostname", "tests", "failures", "errors", "time"}
    assert required <= set(suite.attrib)
    for case in suite.findall("testcase"):
        assert set(case.attrib) == {"name", "classname", "time"}
    problems = suite.findall("testcase/failure") + suite.findall("testcase/error")
    assert len(problems) == int(suite.get("failures", "")) + int(suite.get("errors", "")) == 1
    assert all(set(problem.attrib) == {"type", "message"} for problem in problems)
    assert len(text) < 40_000


def test_xml_has_the_time_and_the_numbers_of_the_test() -> None:
    """Cases have the time of their games, and the suite the numbers of the deciding baseline."""
    made = gated()
    suite = ElementTree.fromstring(finding_junit(gate_finding(made)).encode())[0]
    result = made.result
    times = [float(case.get("time", "")) for case in suite.findall("testcase")]
    assert times == [0.25 * baseline.record.pairs for baseline in result.baselines]
    assert float(suite.get("time", "")) == sum(times) > 1
    properties = {each.get("name"): each.get("value") for each in suite.findall("properties/*")}
    deciding = result.deciding
    assert properties["games"] == str(deciding.record.games)
    assert float(properties["llr"] or "") == round(deciding.sprt.llr, 4)
    assert float(properties["elo"] or "") == round(deciding.difference.elo or 0.0, 2)
    assert properties["pentanomial"] == f"{deciding.record.pairs} 0 0 0 0"
    assert "elo_at_least" not in properties
    json = gate_document(made)
    assert json["verdict"] == made.result.verdict.value
    assert json["baselines"][0]["verdict"] == deciding.difference.verdict.value
    assert json["elo_at_most"] == float(properties["elo_at_most"] or "")


def test_repeated_games_and_controls_are_remarked() -> None:
    """Text and Markdown report repeated games, games left out and equal contents."""
    judge = GateJudge(JudgedBot("new", 1, "a"), [JudgedBot("old", 2, "a")], GateTest())
    four = (Termination.FOUR_IN_A_ROW, Termination.FOUR_IN_A_ROW)
    for number in range(40):
        draw = ("6x7", "", number % 20)
        results = (Result.WIN, Result.LOSS)
        judge.take(PlayedPair(number, 1, 2, "6x7", results, four, draw, number // 2, 1))
    made = GateOutcome(judge.result(), "6x7/20sims")
    for text in (finding_text(gate_finding(made)), finding_markdown(gate_finding(made))):
        assert "10 of 20 pairs are distinct" in text
        assert "40 stored games are not counted" in text
        assert "new and old have the same content: this gate is a control" in text
    assert "10 of 20 " in finding_text(gate_finding(made))
    document = gate_document(made)
    assert document["distinct_pairs"] == 10
    assert document["replayed_games"] == 40
    assert document["same_content"] is True
    assert document["baselines"][0]["llr_distinct"] < document["llr"]


@pytest.mark.slow
def test_pairs_that_were_in_play_are_counted_apart() -> None:
    """A page lists their games, too, so the facts must give their number."""
    shown = dict(gate_finding(gated()).facts)["Games counted"]
    assert re.fullmatch(r"[\d,]+ of at most 3,000; [\d,]+ more were in play or stored .*", shown)


@pytest.mark.slow
def test_annotations_stay_one_capped_line() -> None:
    """An annotation is one short, escaped line, whatever the name of a bot."""
    lines = annotations(gated())
    assert len(lines) == 1
    assert "\n" not in lines[0]
    assert lines[0].startswith("::error title=")
    assert len(lines[0]) < 3000
    assert annotation("error", "a:b,c", "50% of\nit") == "::error title=a%3Ab%2Cc::50%25 of%0Ait"


def test_most_games_are_expected_between_the_hypotheses() -> None:
    """Plain cases end sooner on either side."""
    (line,) = expected_lines(GateTest(max_drop=0, min_gain=50), 1)
    found = re.match(r"about ([\d,]+) games .*, ([\d,]+) if .* and ([\d,]+) between", line)
    assert found is not None
    at1, at0, between = (int(number.replace(",", "")) for number in found.groups())
    assert between > max(at0, at1)
