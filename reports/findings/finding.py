"""What an experiment found: the one source of its text, JSON, Markdown, JUnit file and page."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from reports.layout.console import plain_console
from reports.layout.format import labelled, markdown_text
from reports.layout.listing import Titled, print_lines, print_tables
from reports.layout.table import to_markdown

WIDTH = 200
"""Width of a text that no terminal shows, in characters."""
COLOURS = {
    **dict.fromkeys(("pass", "chosen", "found", "no drop", "stronger"), "gained"),
    **dict.fromkeys(("regression", "no gain", "invalid", "weaker"), "lost"),
}
"""The colours of verdicts; others are undecided."""


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
    tables: Sequence[Titled] = ()
    details: Sequence[Titled] = ()
    """The numbers of the test, which are folded on pages and hidden without ``--verbose``."""
    notes: Sequence[str] = ()
    names: Sequence[str] = ()
    """Names of bots, which keep their first letter at the beginning of a sentence."""
    document: Mapping[str, Any]
    """The document of ``--json``."""
    cases: Sequence[Case] = ()

    @property
    def colour(self) -> str:
        """The colour of the verdict: gained, undecided or lost."""
        return COLOURS.get(self.word, "undecided")


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
        *(to_markdown(table.columns) for table in finding.tables),
        markdown_text(facts),
        *map(markdown_text, finding.notes),
    ]
    return "\n\n".join(parts) + "\n"
