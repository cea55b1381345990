"""A gate's verdict as JUnit XML: one test case per baseline.

The order of elements and the attributes are those that both the Ant schema and the Jenkins one
allow, so that any reader of such files takes it.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from xml.etree.ElementTree import Element, SubElement, tostring

from ladder.experiments.gate.result import BaselineResult, Verdict
from ladder.experiments.gate.session import GateOutcome
from ladder.stats.sprt import State
from reports.gate.text import gate_text
from reports.layout.format import xml_text

NAME_LIMIT = 200
MESSAGE_LIMIT = 1000
OUTPUT_LIMIT = 20_000


def gate_junit(gated: GateOutcome, *, now: datetime | None = None) -> str:
    """The XML document.

    A regression is a failure of the case of its baseline; without a decision, or in an invalid
    gate, every case that has not passed is an error. Times are those of the counted games, one
    after the other; the numbers of the test are properties of the suite, because the common schema
    knows none of a case.
    """
    result = gated.result
    root = Element("testsuites")
    suite = SubElement(root, "testsuite")
    properties = SubElement(suite, "properties")
    for name, value in _properties(gated):
        SubElement(
            properties,
            "property",
            name=xml_text(name, NAME_LIMIT),
            value=xml_text(value, NAME_LIMIT),
        )
    failures = errors = 0
    for baseline in result.baselines:
        case = SubElement(
            suite,
            "testcase",
            name=xml_text(f"not worse than {baseline.name}", NAME_LIMIT),
            classname=xml_text(f"ladder.gate.{result.candidate}", NAME_LIMIT),
            time=f"{baseline.seconds:.3f}",
        )
        kind = _kind(result.verdict, baseline.state)
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
        "time": f"{result.seconds:.3f}",
    }
    suite.attrib.update(attributes)
    text = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _properties(gated: GateOutcome) -> Iterator[tuple[str, str]]:
    """The question and the numbers against the deciding baseline; of several, against each."""
    result, test = gated.result, gated.result.test
    yield "verdict", result.verdict.value
    yield "conditions", gated.conditions
    yield "max_drop", f"{test.max_drop:g}"
    yield "model", test.model.value
    yield "alpha", f"{test.alpha:g}"
    yield "beta", f"{test.beta:g}"
    yield "deciding", result.deciding.name
    yield from _numbers(result.deciding)
    if len(result.baselines) > 1:
        for baseline in result.baselines:
            for name, value in _numbers(baseline):
                yield f"{name} against {baseline.name}", value


def _numbers(baseline: BaselineResult) -> Iterator[tuple[str, str]]:
    plain, after, sprt = baseline.estimate, baseline.after_stopping, baseline.sprt
    yield "games", str(baseline.games)
    yield "distinct_pairs", str(baseline.distinct_pairs)
    yield "pentanomial", " ".join(map(str, baseline.pentanomial))
    for name, value in (
        ("elo", plain.elo),
        ("error95", plain.error95),
        ("elo_at_least", plain.at_least),
        ("elo_at_most", plain.at_most),
        ("elo_after_stopping", None if after is None else after.elo),
    ):
        if value is not None:
            yield name, f"{value:.2f}"
    if after is not None:
        yield "los_after_stopping", f"{after.los:.4f}"
    yield "llr", f"{sprt.llr:.4f}"
    yield "bounds", f"{sprt.lower:.4f} {sprt.upper:.4f}"


def _kind(verdict: Verdict, state: State) -> str | None:
    if verdict is Verdict.INVALID:
        return "error"
    if state is State.ACCEPT_H0:
        return "failure"
    if verdict is Verdict.INCONCLUSIVE and state is State.CONTINUE:
        return "error"
    # Undecided beside a regression: the gate ended before, and there is nothing to mend here.
    return None
