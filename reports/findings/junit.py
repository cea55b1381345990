"""A finding as JUnit XML.

Elements and attributes follow both the Ant and the Jenkins schema, so that any reader accepts them.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from xml.etree.ElementTree import Element, SubElement, tostring

from reports.findings.finding import Finding, finding_text
from reports.layout.format import xml_text

NAME_LIMIT = 200
MESSAGE_LIMIT = 1000
OUTPUT_LIMIT = 20_000


def finding_junit(finding: Finding, *, now: datetime | None = None) -> str:
    """Return the XML document, with a test case for each question of the finding.

    The numbers of the document are properties of the suite, because the schema has no properties of
    cases. Times are sums over the counted games.
    """
    root = Element("testsuites")
    suite = SubElement(root, "testsuite")
    properties = SubElement(suite, "properties")
    for name, value in _properties(finding):
        SubElement(properties, "property", name=name, value=xml_text(value, NAME_LIMIT))
    for each in finding.cases:
        case = SubElement(
            suite,
            "testcase",
            name=xml_text(each.name, NAME_LIMIT),
            classname=xml_text(".".join(("ladder", finding.kind, *finding.names[:1])), NAME_LIMIT),
            time=f"{each.seconds:.3f}",
        )
        if each.problem:
            message = xml_text(each.message or finding.sentence, MESSAGE_LIMIT)
            problem = SubElement(case, each.problem, type=finding.word, message=message)
            problem.text = message
    SubElement(suite, "system-out").text = xml_text(finding_text(finding), OUTPUT_LIMIT)
    SubElement(suite, "system-err")
    problems = [each.problem for each in finding.cases]
    suite.attrib.update(
        name=f"ladder {finding.kind}",
        package="ladder",
        id="0",
        hostname="localhost",
        timestamp=(now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%S"),
        tests=str(len(problems)),
        failures=str(problems.count("failure")),
        errors=str(problems.count("error")),
        time=f"{sum(each.seconds for each in finding.cases):.3f}",
    )
    text = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _properties(finding: Finding) -> Iterator[tuple[str, str]]:
    """Yield the numbers and words of the document; objects and empty values are left out."""
    for name, value in finding.document.items():
        if isinstance(value, str | int | float) and name != "reason":
            yield name, str(value)
        elif isinstance(value, list) and all(isinstance(each, int | float) for each in value):
            yield name, " ".join(map(str, value))
