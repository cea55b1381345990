"""Files with a gate's verdict, and its summary and annotations under GitHub Actions."""

import os
from pathlib import Path

from ladder.checked_stream import write_file
from ladder.cli.output import print_error, print_out
from ladder.experiments.gate.result import Verdict
from ladder.experiments.gate.session import GateOutcome
from ladder.stats.sprt import State
from reports.findings.finding import Finding, finding_markdown
from reports.findings.junit import finding_junit
from reports.layout.format import annotation

SUMMARY_LIMIT = 60_000
"""Characters; GitHub refuses job summaries above 1 MiB."""


def publish(
    gated: GateOutcome,
    finding: Finding,
    *,
    junit: Path | None,
    summary: Path | None,
    quiet: bool,
) -> None:
    """Write the files of a verdict, and under GitHub Actions its summary and annotations.

    With `quiet`, annotations go to standard error, which GitHub reads too, and standard output
    stays one JSON document.
    """
    if junit is not None:
        write_file(junit, finding_junit(finding), "--junit")
    markdown = finding_markdown(finding)[:SUMMARY_LIMIT]
    if summary is not None:
        write_file(summary, markdown, "--summary")
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    job = os.environ.get("GITHUB_STEP_SUMMARY")
    if job:
        try:
            with open(job, "a", encoding="utf-8", errors="replace") as file:
                file.write(markdown + "\n")
        except OSError as error:
            print_error(f"warning: the job summary of GitHub Actions cannot be written: {error}")
    for line in annotations(gated):
        (print_error if quiet else print_out)(line)


def annotations(gated: GateOutcome) -> list[str]:
    """Return an annotation for each lost baseline, or for a gate without a decision."""
    result = gated.result
    if result.verdict is Verdict.INVALID:
        return [annotation("error", f"{result.candidate}: the gate is invalid", result.reason)]
    if result.verdict is Verdict.INCONCLUSIVE:
        return [annotation("warning", f"{result.candidate}: no decision", result.reason)]
    found = "is not better" if result.test.is_better else "is worse"
    return [
        annotation("error", f"{result.candidate} {found} than {baseline.name}", result.reason)
        for baseline in result.baselines
        if baseline.state is State.ACCEPT_H0
    ]
