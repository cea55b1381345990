"""Gate verdicts as XML, Markdown and annotations, also for names made to break them."""

from datetime import UTC, datetime
from xml.etree import ElementTree

from db.records.pairs import PlayedPair
from engine.result import Result, Termination
from ladder.cli.gate_files import annotations
from ladder.gate.judge import (
    Contestant,
    GateJudge,
    GateTest,
)
from ladder.gate.session import Gated
from reports.format import annotation
from reports.gate.junit import gate_junit
from reports.gate.text import gate_markdown

EVIL = "a|b<c>&\"'\x00\x1b[31m%0A::error::`x`\ud800" + "y" * 5000


def gated(*, results: tuple[Result, Result] = (Result.LOSS, Result.LOSS)) -> Gated:
    """A gate of a candidate with a terrible name against two bots, the second of them too."""
    judge = GateJudge(
        Contestant(EVIL, 1), [Contestant("plain", 2), Contestant(EVIL + "2", 3)], GateTest()
    )
    four = (Termination.FOUR_IN_A_ROW, Termination.FOUR_IN_A_ROW)
    for number in range(200):
        judge.take(PlayedPair(number, 1, 2 + number % 2, "6x7", results, four))
    return Gated(judge.result(), "6x7/20sims")


def test_xml_holds_any_name_in_the_common_order() -> None:
    """The document must parse, with what Ant's schema requires in the order that it requires."""
    text = gate_junit(gated(), now=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
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


def test_a_pass_has_no_failure() -> None:
    """A passed gate must be all green and annotate nothing."""
    good = gated(results=(Result.WIN, Result.WIN))
    suite = ElementTree.fromstring(gate_junit(good).encode())[0]
    assert (suite.get("failures"), suite.get("errors")) == ("0", "0")
    assert annotations(good) == []


def test_annotations_stay_one_capped_line() -> None:
    """An annotation must be one line, escaped and short, whatever the name of a bot."""
    lines = annotations(gated())
    assert len(lines) == 1
    assert "\n" not in lines[0]
    assert lines[0].startswith("::error title=")
    assert len(lines[0]) < 3000
    assert annotation("error", "a:b,c", "50% of\nit") == "::error title=a%3Ab%2Cc::50%25 of%0Ait"


def test_markdown_rows_keep_their_columns() -> None:
    """A bar or a tag in a name must not make columns or markup."""
    text = gate_markdown(gated())
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 3
    assert all(row.replace("\\|", "").count("|") == 8 for row in rows)
    assert "<c>" not in text.replace("\\<c\\>", "")
