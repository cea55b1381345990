"""What an experiment found: the one source of its text, JSON, Markdown, JUnit file and page."""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from rich.console import Console

from reports.layout.fields import UNDECIDED, VERDICTS, Table
from reports.layout.format import labelled, markdown_text, xml_text
from reports.layout.terminal import plain_console, print_lines, print_tables

WIDTH = 200
"""Width of a text that no terminal shows, in characters."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question of an experiment, for JUnit."""

    name: str
    problem: str = ""
    """``failure`` or ``error``; empty if it passed."""
    seconds: float = 0.0
    message: str = ""
    """What went wrong, if it is not the finding's sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The outcome of an experiment, or its progress."""

    kind: str
    """The command, such as ``gate``."""
    question: str
    word: str
    """The verdict in a word."""
    sentence: str
    """The verdict with its reason and the interval in words, without a full stop."""
    facts: Sequence[tuple[str, str]] = ()
    """The question and the conditions, as labels and values."""
    tables: Sequence[Table] = ()
    details: Sequence[Table] = ()
    """The numbers of the test, which are folded on pages and hidden without ``--verbose``."""
    notes: Sequence[str] = ()
    names: Sequence[str] = ()
    """Names of bots, which keep their first letter at the beginning of a sentence."""
    document: Mapping[str, Any]
    """The document of ``--json``."""
    cases: Sequence[Case] = ()

    @property
    def verdict(self) -> str:
        """The verdict as a cell has it: gained, undecided or lost."""
        return VERDICTS.get(self.word, UNDECIDED)


def print_finding(console: Console, finding: Finding, *, verbose: bool = False) -> None:
    """Print the verdict, the facts and the tables; the numbers of the test only if `verbose`."""
    head = f"{finding.word.upper()}: {finding.sentence}"
    print_lines(console, [head, "", *labelled(finding.facts, 10)] if finding.facts else [head])
    print_tables(console, [*finding.tables, *(finding.details if verbose else ())])
    if finding.notes:
        print_lines(console, ["", *finding.notes])


def finding_text(finding: Finding) -> str:
    """Return the whole text of a finding for a file."""
    file = io.StringIO()
    print_finding(plain_console(file=file, width=WIDTH), finding, verbose=True)
    return "".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines())


def finding_markdown(finding: Finding) -> str:
    """Return a finding as a section of Markdown."""
    facts = "; ".join(f"{name}: {value}" for name, value in finding.facts)
    parts = [
        f"### ladder {finding.kind}: {finding.word.upper()}",
        markdown_text(finding.sentence),
        *(table.markdown() for table in finding.tables),
        markdown_text(facts),
        *map(markdown_text, finding.notes),
    ]
    return "\n\n".join(parts) + "\n"


NAME_LIMIT = 200
MESSAGE_LIMIT = 1000
OUTPUT_LIMIT = 20_000


def finding_junit(finding: Finding, *, now: datetime | None = None) -> str:
    """Return the finding as JUnit XML, with a test case for each of its questions.

    Elements and attributes follow both the Ant and the Jenkins schema, so that any reader accepts
    them.
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
