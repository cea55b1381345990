"""Findings of `doctor` as plain data and as text."""

from collections.abc import Sequence

from ladder.tools.doctor.machine import Diagnosis
from reports.layout.format import text_of_lines, values_of


def findings_document(findings: Sequence[Diagnosis]) -> list[dict[str, str]]:
    """Return the document of `ladder doctor --json`."""
    return [values_of(each, "topic", "level", "text") for each in findings]


def findings_text(findings: Sequence[Diagnosis]) -> str:
    """Return a line for each finding: level, topic and text."""
    return text_of_lines(f"{each.level.value:<8} {each.topic:<10} {each.text}" for each in findings)
