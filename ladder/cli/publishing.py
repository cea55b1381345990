"""The files of a verdict, and what GitHub Actions shows of it."""

import os
from collections.abc import Sequence
from pathlib import Path

from ladder.cli.output import print_error, print_out, write_output
from reports.findings.finding import Finding, finding_junit, finding_markdown

SUMMARY_LIMIT = 60_000
"""Characters; GitHub refuses job summaries above 1 MiB."""


def publish(
    finding: Finding,
    lines: Sequence[str],
    *,
    junit: Path | None,
    summary: Path | None,
    quiet: bool,
) -> None:
    """Write the files of a verdict, and under GitHub Actions its summary and annotations.

    `lines` are the annotations.
    With `quiet`, annotations go to standard error, which GitHub reads too, and standard output
    stays one JSON document.
    """
    if junit is not None:
        write_output(junit, [finding_junit(finding)], "--junit", "the JUnit results")
    markdown = finding_markdown(finding)[:SUMMARY_LIMIT]
    if summary is not None:
        write_output(summary, [markdown], "--summary", "the summary")
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    job = os.environ.get("GITHUB_STEP_SUMMARY")
    if job:
        try:
            with open(job, "a", encoding="utf-8", errors="replace") as file:
                file.write(markdown + "\n")
        except OSError as error:
            print_error(f"warning: the job summary of GitHub Actions cannot be written: {error}")
    for line in lines:
        (print_error if quiet else print_out)(line)
