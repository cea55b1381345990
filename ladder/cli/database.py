"""Small things that most commands do: open the database, read conditions, write output."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from db.store import RetryPolicy, Store
from ladder.cli.output import print_error, printed_first
from ladder.signals import current_stop


@contextmanager
def open_store(where: str, *, create: bool, sync: bool = False) -> "Iterator[Store]":
    """The database of `--db`; with `sync` its built-in players are brought up to date.

    Raises:
        DatabaseError: it cannot be opened.
        Stopped: the user wants the command to end.

    """
    from db.store import Store

    current_stop().check()
    with Store.open(where, create=create, retry_policy=_printing_retry_policy()) as store:
        current_stop().check()
        with _explained_by_damage(store):
            if sync:
                _sync(store)
            yield store


def migrate_database(where: str, *, force: bool) -> str:
    """Bring the database of `--db` up to date, and return what was done.

    Raises:
        DatabaseError: it cannot be migrated, or runs are in play and `force` is false.

    """
    from db.store import Store

    current_stop().check()
    version = Store.migrate(where, force=force, retry_policy=_printing_retry_policy())
    return "up to date" if version is None else f"brought up to date from version {version}"


@contextmanager
def open_to_play(where: str, check: "Callable[[Store], object]") -> "Iterator[Store]":
    """Open the database of `--db` to play in; its runs end when the block has printed them.

    A missing one is created once `check` has accepted what was asked for, so that a command that
    is refused leaves no new file.

    Raises:
        DatabaseError: it cannot be opened.
        Stopped: the user wants the command to end.

    """
    if is_missing(where):
        with open_draft(where) as store:
            check(store)
    with open_store(where, create=True, sync=True) as store, printed_first(store):
        yield store


@contextmanager
def _explained_by_damage(store: "Store") -> Iterator[None]:
    """Look for damage in the database when an unforeseen error ends the block.

    Raises:
        Corrupt: it is damaged, which explains the error.

    """
    try:
        yield
    except Exception as error:
        from ladder.cli.failures import is_foreseen

        damage = None if is_foreseen(error) else store.audit.damage()
        if damage is None:
            raise
        raise damage from error


def _sync(store: "Store") -> None:
    from ladder.match.registry.builtins import sync_builtins

    for name in sync_builtins(store):
        print_error(f"{name} has a new revision: its sources have changed")
    current_stop().check()


@contextmanager
def open_to_read(where: str) -> "Iterator[Store]":
    """The database of `--db` for a command that only looks, also where nothing can be written.

    Raises:
        DatabaseError: it is missing or cannot be read.

    """
    from db.store import Store

    current_stop().check()
    with Store.open_to_read(where, retry_policy=_printing_retry_policy()) as store:
        current_stop().check()
        with _explained_by_damage(store):
            yield store


def _printing_retry_policy() -> "RetryPolicy":
    """Waiting for a server that is away is told on stderr, and ends with a wish to stop."""
    from db.store import RetryPolicy

    retry_policy = RetryPolicy()
    retry_policy.report = print_error
    retry_policy.is_stop_requested = current_stop().is_requested
    return retry_policy


def is_missing(where: str) -> bool:
    """Whether `--db` names a file that is not there yet."""
    return "://" not in where and not Path(where).exists()


@contextmanager
def open_or_imagine(where: str) -> "Iterator[Store]":
    """The database of `--db`, or when it is missing what it would hold, in a file that vanishes.

    For looking: a command that only looks must not leave a new file behind.

    Raises:
        Missing: the database is not there, and a bot was asked for that a new one would not hold.
        DatabaseError: it cannot be read.

    """
    from db.errors import Missing

    if is_missing(where):
        with _imagined(where) as (store, _):
            yield store
        return
    with contextlib.ExitStack() as stack:
        try:
            store = stack.enter_context(open_to_read(where))
        except Missing:
            if "://" not in where:
                raise
            # A server's database without our tables; one that is not there at all is told.
            store = stack.enter_context(open_store(where, create=True))
        if not store.is_read_only:
            _sync(store)
        yield store


@contextmanager
def open_draft(where: str) -> "Iterator[Store]":
    """The database of `--db`; a missing one comes to be when the block has ended without an error.

    For commands that look before they write: when they are refused they leave no new file behind,
    and the built-in players are registered once.

    Raises:
        Missing: the database is not there, and a bot was asked for that a new one would not hold.
        DatabaseError: it cannot be read.

    """
    if not is_missing(where):
        with open_or_imagine(where) as store:
            yield store
        return
    with _imagined(where) as (store, file):
        yield store
        store.close()
        # Where that fails, the command that opens it next makes it, or says why it cannot.
        with contextlib.suppress(OSError):
            _put(file, Path(where).absolute())


@contextmanager
def _imagined(where: str) -> "Iterator[tuple[Store, Path]]":
    """A new database for a missing one, and its file, which vanishes."""
    from db.errors import UnknownRow
    from ladder.errors import UnknownBot

    with (
        tempfile.TemporaryDirectory(prefix="ladder-imagined-") as folder,
        current_stop().before_sudden_exit(partial(shutil.rmtree, folder, ignore_errors=True)),
    ):
        file = Path(folder) / "imagined.db"
        with open_store(str(file), create=True, sync=True) as store:
            try:
                yield store, file
            except (UnknownRow, UnknownBot) as error:
                raise _missing(where, error) from error


def _missing(where: str, error: Exception) -> Exception:
    from db.errors import Missing

    place = Path(where).absolute()
    return Missing(f"there is no database {place}, so only the built-in players are known: {error}")


def _put(file: Path, place: Path) -> None:
    """Let a closed database appear at its place, whole or not at all. Raises OSError."""
    if any(file.parent.glob(f"{file.name}-*")):
        raise FileExistsError  # SQLite keeps a log beside it: the file alone is not all
    new = place.with_name(f".{place.name}.new-{os.getpid()}")
    try:
        shutil.copyfile(file, new)
        os.link(new, place)  # fails when another process was faster
    finally:
        new.unlink(missing_ok=True)
