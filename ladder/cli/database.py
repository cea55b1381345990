"""Small things that most commands do: open the database, read conditions, write output."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from db.store import Store
from ladder.cli.output import print_error
from ladder.signals import before_sudden_end, check_stop


@contextmanager
def open_store(where: str, *, create: bool, sync: bool = False) -> "Iterator[Store]":
    """The database of `--db`; with `sync` its built-in players are brought up to date.

    Raises:
        DatabaseError: it cannot be opened.
        Stopped: the user wants the command to end.

    """
    from db.store import Store

    check_stop()
    with Store.open(where, create=create) as store:
        check_stop()
        if sync:
            _sync(store)
        yield store


def _sync(store: "Store") -> None:
    from ladder.registry.builtins import sync_builtins

    for name in sync_builtins(store):
        print_error(f"{name} has a new revision: its sources have changed")
    check_stop()


@contextmanager
def open_to_read(where: str) -> "Iterator[Store]":
    """The database of `--db` for a command that only looks, also where nothing can be written.

    Raises:
        DatabaseError: it is missing or cannot be read.

    """
    from db.store import Store

    check_stop()
    with Store.open_to_read(where) as store:
        check_stop()
        yield store


def is_missing(where: str) -> bool:
    """Whether `--db` names a file that is not there yet."""
    return "://" not in where and not Path(where).exists()


@contextmanager
def open_or_imagine(where: str) -> "Iterator[Store]":
    """The database of `--db`, or when it is missing what it would hold, in a file that vanishes.

    For looking: a command that only looks, or is refused, must not leave a new file behind.

    Raises:
        Missing: the database is not there, and a bot was asked for that a new one would not hold.
        DatabaseError: it cannot be read.

    """
    from db.errors import Missing, UnknownRow
    from ladder.errors import UnknownBot

    if not is_missing(where):
        with open_to_read(where) as store:
            if not store.is_read_only:
                _sync(store)
            yield store
        return
    with (
        tempfile.TemporaryDirectory(prefix="ladder-imagined-") as folder,
        before_sudden_end(partial(shutil.rmtree, folder, ignore_errors=True)),
        open_store(str(Path(folder) / "imagined.db"), create=True, sync=True) as store,
    ):
        try:
            yield store
        except (UnknownRow, UnknownBot) as error:
            place = Path(where).absolute()
            raise Missing(
                f"there is no database {place}, so only the built-in players are known: {error}"
            ) from error
