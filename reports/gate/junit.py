"""A gate's verdict as JUnit XML: one test case per baseline.

The order of elements and the attributes are those that both the Ant schema and the Jenkins one
allow, so that any reader of such files takes it.
"""

from datetime import UTC, datetime
from xml.etree.ElementTree import Element, SubElement, tostring

from ladder.gate.judge import Verdict
from ladder.gate.session import Gated
from ladder.ratings.sprt import State
from reports.format import xml_text
from reports.gate.text import gate_text

NAME_LIMIT = 200
MESSAGE_LIMIT = 1000
OUTPUT_LIMIT = 20_000


def gate_junit(gated: Gated, *, now: datetime | None = None) -> str:
    """The XML document.

    A regression is a failure of the case of its baseline; without a decision, or in an invalid
    gate, every case that has not passed is an error.
    """
    result = gated.result
    root = Element("testsuites")
    suite = SubElement(root, "testsuite")
    properties = SubElement(suite, "properties")
    for name, value in (
        ("verdict", result.verdict.value),
        ("conditions", gated.conditions),
        ("max_drop", f"{result.test.max_drop:g}"),
        ("model", result.test.model.value),
    ):
        SubElement(properties, "property", name=name, value=xml_text(value, NAME_LIMIT))
    failures = errors = 0
    for baseline in result.baselines:
        case = SubElement(
            suite,
            "testcase",
            name=xml_text(f"not worse than {baseline.name}", NAME_LIMIT),
            classname=xml_text(f"ladder.gate.judge.{result.candidate}", NAME_LIMIT),
            time="0.000",
        )
        kind = _kind(result.verdict, baseline.sprt.state)
        if kind is None:
            continue
        failures += kind == "failure"
        errors += kind == "error"
        problem = SubElement(
            case,
            kind,
            type=result.verdict.value,
            message=xml_text(result.reason, MESSAGE_LIMIT),
        )
        problem.text = xml_text(result.reason, MESSAGE_LIMIT)
    SubElement(suite, "system-out").text = xml_text(gate_text(gated), OUTPUT_LIMIT)
    SubElement(suite, "system-err")
    attributes = {
        "name": "ladder gate",
        "package": "ladder",
        "id": "0",
        "hostname": "localhost",
        "timestamp": (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%S"),
        "tests": str(len(result.baselines)),
        "failures": str(failures),
        "errors": str(errors),
        "time": "0.000",
    }
    suite.attrib.update(attributes)
    text = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _kind(verdict: Verdict, state: State) -> str | None:
    if verdict is Verdict.INVALID:
        return "error"
    if state is State.ACCEPT_H0:
        return "failure"
    if verdict is Verdict.INCONCLUSIVE and state is State.CONTINUE:
        return "error"
    # Undecided beside a regression: the gate ended before, and there is nothing to mend here.
    return None
