"""Findings of the doctor as plain data and as lines."""

from collections.abc import Sequence

from ladder.tools.doctor.machine import Finding
from reports.layout.format import text_of_lines


def findings_document(findings: Sequence[Finding]) -> list[dict[str, str]]:
    """The document of `ladder doctor --json`."""
    return [
        {"topic": each.topic, "level": each.level.value, "text": each.text} for each in findings
    ]


def findings_text(findings: Sequence[Finding]) -> str:
    """A line for each finding: how much it matters, its topic, and what it is."""
    return text_of_lines(f"{each.level.value:<8} {each.topic:<10} {each.text}" for each in findings)
