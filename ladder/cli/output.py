"""Output of the commands: text, documents and consoles."""

import io
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import typer
from rich.console import Console

from engine.whole_file import open_whole
from ladder.checked_stream import report_failed_writes
from ladder.errors import UsageError
from ladder.visible import visible, visible_lines
from reports.findings.finding import Finding, finding_junit, finding_markdown, print_finding
from reports.layout.format import to_json
from reports.layout.terminal import Listing, listing_markdown, plain_console, print_listing

T = TypeVar("T")


class Format(StrEnum):
    """The format of a report."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


def stdout_console() -> Console:
    """Return the console for results: as wide as the terminal, or as needed in a file or pipe."""
    return plain_console()


def show(made: Listing, form: Format, file: Path | None = None) -> None:
    """Write a report in one form to standard output or to a file.

    A table has colours and an end of its lines only at a terminal.
    """
    if form is Format.TABLE and file is None:
        _print_table(lambda console: print_listing(console, made))
        return
    text = {
        Format.TABLE: lambda: _plain_text(lambda console: print_listing(console, made)),
        Format.JSON: lambda: to_json(made.document),
        Format.CSV: lambda: made.csv,
        Format.MARKDOWN: lambda: listing_markdown(made),
    }[form]()
    if file is None:
        print_out(text)
    else:
        write_output(file, [text], "-o", "the result")


def _print_table(table: Callable[[Console], None]) -> None:
    """Print a table on standard output."""
    console = stdout_console()
    if console.is_terminal:
        table(console)
    else:
        print_out(_plain_text(table))


def _plain_text(table: Callable[[Console], None]) -> str:
    file = io.StringIO()
    table(plain_console(file=file))
    return "".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines())


def stderr_console() -> Console:
    """Return the console for progress and logs."""
    return plain_console(stderr=True)


def print_out(text: str) -> None:
    """Print a text on standard output, without control characters except line breaks."""
    shown = visible_lines(text)
    sys.stdout.write(shown if shown.endswith("\n") else shown + "\n")


def print_error(sentence: str) -> None:
    """Print a sentence on standard error."""
    sys.stderr.write(visible_lines(sentence) + "\n")


def confirm(question: str) -> bool:
    """Ask on standard error, read yes or no from standard input, and take Enter as no."""
    return typer.confirm(visible(question), err=True)


def check_writable(output: Path | None, option: str = "-o") -> None:
    """Refuse a file that cannot be written, before any work is done for it.

    Raises:
        UsageError: its folder does not exist, or it is a folder itself.

    """
    if output is None:
        return
    if output.is_dir():
        raise UsageError(f"{option}: {output} is a folder: name a file in it")
    if not output.resolve().parent.is_dir():
        raise UsageError(
            f"{option}: the folder {output.resolve().parent} does not exist: create it first"
        )


def write_output(
    file: Path, texts: Iterable[str], option: str, what: str | Callable[[], str]
) -> None:
    """Write a file for the user, whole or not at all, and report it on standard error.

    Args:
        file: the file.
        texts: its content in pieces; characters that UTF-8 cannot encode are replaced.
        option: the option that names it, as the user types it.
        what: what it holds, or a function that returns it when the file is written.

    Raises:
        UsageError: the file cannot be written; the message names the option and the file.

    """
    with report_failed_writes(f"{option} {file}"), open_whole(file) as stream:
        stream.writelines(text.encode("utf-8", "replace") for text in texts)
    report_written(what if isinstance(what, str) else what(), file)


def report_written(what: str, file: Path) -> None:
    """Print on standard error what the command has written, and where."""
    print_error(f"wrote {what} to {file}")


def print_result(
    result: T, document: Callable[[T], object], text: Callable[[T], str], *, json: bool
) -> int:
    """Print a result as one JSON document or as text, and return the exit code of success."""
    if json:
        print_out(to_json(document(result)))
    else:
        print_out(text(result))
    return 0


def print_finding_or_json(finding: Finding, *, json: bool, verbose: bool = False) -> None:
    """Print a finding as one JSON document or as text."""
    print_table_or_json(
        finding,
        lambda found: found.document,
        lambda console, found: print_finding(console, found, verbose=verbose),
        json=json,
    )


def print_table_or_json(
    result: T, document: Callable[[T], object], table: Callable[[Console, T], None], *, json: bool
) -> None:
    """Print a result as one JSON document or as a table."""
    if json:
        print_out(to_json(document(result)))
    else:
        _print_table(lambda console: table(console, result))


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
