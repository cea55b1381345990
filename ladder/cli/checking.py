"""Commands that are only checked, as before they enter the queue.

A checked command does everything that it does before it plays: it reads its options, finds its
bots, and refuses what cannot be played. Then it ends.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import typer

if TYPE_CHECKING:
    from db.records.bots import BotRow


@dataclass(slots=True)
class CommandCheck:
    """A check of a command."""

    bots: "tuple[BotRow, ...] | None" = None
    """The registered bots that it would play; None until it has passed."""


_current: ContextVar[CommandCheck | None] = ContextVar("check", default=None)


@contextmanager
def checking_only() -> Iterator[CommandCheck]:
    """Let the command that runs in the block end before it plays."""
    check = CommandCheck()
    token = _current.set(check)
    try:
        yield check
    finally:
        _current.reset(token)


def is_checking_only() -> bool:
    """Return whether the command must end before it plays."""
    return _current.get() is not None


def end_check(bots: "Iterable[BotRow]") -> NoReturn:
    """End a command that is only checked, and has passed.

    Args:
        bots: the registered bots that it would play.

    """
    check = _current.get()
    assert check is not None  # noqa: S101 - the caller has asked `is_checking_only`
    check.bots = tuple(bots)
    raise typer.Exit
