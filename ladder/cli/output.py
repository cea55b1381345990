"""Small things that most commands do: open the database, read conditions, write output."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ladder.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console


T = TypeVar("T")


NO_WIDTH = 10_000
"""Characters of a line where no terminal sets an end: nothing is wrapped or left out."""


def stdout_console() -> "Console":
    """The console for results: as wide as the terminal, or as they need in a file or a pipe."""
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=NO_WIDTH)


def stderr_console() -> "Console":
    """For progress and logs."""
    from rich.console import Console

    return Console(stderr=True)


def print_out(text: str) -> None:
    """Text on standard output, exactly."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def print_error(sentence: str) -> None:
    """A sentence on standard error."""
    print(sentence, file=sys.stderr)  # noqa: T201 - the one place besides failures.py


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
