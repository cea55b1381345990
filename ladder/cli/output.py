"""Output of the commands: text, documents and consoles."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from ladder.errors import UsageError
from ladder.visible import visible, visible_lines

if TYPE_CHECKING:
    from rich.console import Console


T = TypeVar("T")


def stdout_console() -> "Console":
    """The console for results: as wide as the terminal, or as they need in a file or a pipe."""
    from ladder.cli.console import plain_console

    return plain_console()


def stderr_console() -> "Console":
    """For progress and logs."""
    from ladder.cli.console import plain_console

    return plain_console(stderr=True)


def print_out(text: str) -> None:
    """Text on standard output, its line breaks and no other control characters included."""
    shown = visible_lines(text)
    sys.stdout.write(shown if shown.endswith("\n") else shown + "\n")


def print_error(sentence: str) -> None:
    """A sentence on standard error."""
    sys.stderr.write(visible_lines(sentence) + "\n")


def confirm(question: str) -> bool:
    """Ask on standard error, and read yes or no from standard input; no is the answer to Enter."""
    return typer.confirm(visible(question), err=True)


def check_writable(output: Path | None, option: str = "-o") -> None:
    """See that a file can be written before any work is done for it.

    Raises:
        UsageError: its folder does not exist, or it is a folder itself.

    """
    if output is None:
        return
    if output.is_dir():
        raise UsageError(f"{option} {output} is a folder: name a file in it")
    if not output.resolve().parent.is_dir():
        raise UsageError(f"{option} {output}: the folder {output.resolve().parent} does not exist")


def print_result(
    result: T,
    document: Callable[[T], object],
    text: Callable[[T], str],
    *,
    json: bool,
) -> int:
    """A result as one JSON document or as text; the exit code of success."""
    if json:
        from reports.format import to_json

        print_out(to_json(document(result)))
    else:
        print_out(text(result))
    return 0
