"""Small things that most commands do: open the database, read conditions, write output."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ladder.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from db.store import Store
    from engine.board import BoardClass
    from ladder.settings import Budgets

T = TypeVar("T")

DEFAULT_TIME = "100ms"


@contextmanager
def open_store(where: str, *, create: bool, sync: bool = False) -> "Iterator[Store]":
    """The database of `--db`; with `sync` its built-in players are brought up to date.

    Raises:
        DatabaseError: it cannot be opened.

    """
    from db.store import Store

    with Store.open(where, create=create) as store:
        if sync:
            from ladder.registry import sync_builtins

            for name in sync_builtins(store):
                print_error(f"{name} has a new revision: its sources have changed")
        yield store


def is_missing(where: str) -> bool:
    """Whether `--db` names a file that is not there yet."""
    return "://" not in where and not Path(where).exists()


@contextmanager
def open_or_imagine(where: str) -> "Iterator[Store]":
    """The database of `--db`, or when it is missing what it would hold, in a file that vanishes.

    For looking: a command that only looks, or is refused, must not leave a new file behind.
    """
    if not is_missing(where):
        with open_store(where, create=False, sync=True) as store:
            yield store
        return
    with (
        tempfile.TemporaryDirectory(prefix="ladder-imagined-") as folder,
        open_store(str(Path(folder) / "imagined.db"), create=True, sync=True) as store,
    ):
        yield store


def boards_of(text: str) -> "tuple[BoardClass, ...]":
    """The board classes of `--boards`.

    Raises:
        UsageError: the list breaks a rule of boards; the message names it and the option.

    """
    from engine.board import parse_board_classes
    from engine.errors import BoardError

    try:
        return parse_board_classes(text)
    except BoardError as error:
        raise UsageError(f"--boards: {error}") from error


def budgets_of(
    time: str | None, simulations: int | None, nodes: int | None, depth: int | None
) -> "Budgets":
    """The budgets of the options; 100 ms when none is given.

    Raises:
        UsageError: time together with a work budget, or a number out of range.

    """
    from ladder.settings import Budgets, parse_time

    amounts = {
        name: amount
        for name, amount in (("simulations", simulations), ("nodes", nodes), ("depth", depth))
        if amount is not None
    }
    if time is not None or not amounts:
        amounts = {"time_ms": parse_time(time or DEFAULT_TIME), **amounts}
    return Budgets(amounts)


def sandbox_of(text: str | None) -> tuple[str, ...]:
    """The words of `--sandbox`, read as a shell would.

    Raises:
        UsageError: a quote is not closed, there is no word, or its program is not there.

    """
    import shlex
    import shutil

    from ladder.errors import UsageError

    if text is None:
        return ()
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"--sandbox: {str(error).lower()} in {text!r}") from error
    if not words:
        raise UsageError("--sandbox is the beginning of a command such as 'bwrap ...', got nothing")
    program = shutil.which(words[0])
    if program is None:
        raise UsageError(
            f"--sandbox: no program {words[0]!r} is on PATH: install it, or name its file"
        )
    return (str(Path(program).absolute()), *words[1:])


def stdout_console() -> "Console":
    """For results; as wide as they need when nobody looks."""
    from rich.console import Console

    console = Console()
    return console if console.is_terminal else Console(width=200)


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
        from reports.documents import to_json

        print_out(to_json(document(result)))
    else:
        print_out(text(result))
    return 0
