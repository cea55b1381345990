"""A gate's verdict as JUnit XML, with a test case per baseline.

Elements and attributes follow both the Ant and the Jenkins schema, so that any reader accepts them.
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
    """Return the XML document.

    A regression is a failure of its baseline's case. In an inconclusive or invalid gate, every case
    that did not pass is an error. Times are sums over the counted games. The numbers of the test
    are properties of the suite, because the schema has no properties of cases.
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
    """Yield the test's parameters and its numbers against the deciding baseline and the others."""
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
    # Undecided because another baseline's regression ended the gate: not an error of this case.
    return None
