"""Commands that are only checked, as before they enter the queue.

A checked command does everything that it does before it plays: it reads its options, finds its
bots, and refuses what cannot be played. Then it ends.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NoReturn

import typer

_is_on: ContextVar[bool] = ContextVar("check", default=False)


@contextmanager
def checking_only() -> Iterator[None]:
    """Let the command that runs in the block end before it plays."""
    token = _is_on.set(True)
    try:
        yield
    finally:
        _is_on.reset(token)


def is_checking_only() -> bool:
    """Return whether the command must end before it plays, by `end_check`."""
    return _is_on.get()


def end_check() -> NoReturn:
    """End a command that is only checked, and has passed."""
    raise typer.Exit
