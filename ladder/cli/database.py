"""Opening the database of a command."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from db.errors import Missing, UnknownRow, Unwritable
from db.store import RetryPolicy, Store
from ladder.cli.failures import is_expected
from ladder.cli.output import print_error
from ladder.errors import UnknownBot, UsageError
from ladder.registry.builtins import sync_builtins
from ladder.signals import current_stop


@contextmanager
def open_store(
    where: str, *, create: bool, sync: bool = False, upgrade: bool = False
) -> Iterator[Store]:
    """Open the database; with `sync`, bring its built-in players up to date.

    With `upgrade`, a database of an older version is migrated on a server, too.

    Raises:
        DatabaseError: it cannot be opened.
        Stopped: the user has stopped the command.

    """
    current_stop().check()
    policy = _reporting_retry_policy()
    with Store.open(where, create=create, upgrade=upgrade, retry_policy=policy) as store:
        _report_migration(store)
        current_stop().check()
        with _explained_by_damage(store):
            if sync:
                _sync(store)
            yield store


def _report_migration(store: Store) -> None:
    """Report in a line what opening the database migrated."""
    if store.migration is not None:
        copy = store.migration.copy
        kept = "" if copy is None else f"; {copy} is the file as it was"
        print_error(
            f"{store.where} is migrated from database version {store.migration.version}{kept}"
        )


@contextmanager
def _explained_by_damage(store: Store) -> Iterator[None]:
    """Check the database for damage if an unexpected error ends the block.

    Raises:
        Corrupt: the database is damaged, which explains the error.

    """
    try:
        yield
    except Exception as error:
        damage = None if is_expected(error) else store.audit.find_damage()
        if damage is None:
            raise
        raise damage from error


def _sync(store: Store) -> None:
    for name in sync_builtins(store):
        print_error(
            f"{name} has a new revision, as its behaviour has changed: older games do not count"
        )
    current_stop().check()


@contextmanager
def open_to_read(where: str) -> Iterator[Store]:
    """Open the database to read it, also where nothing can be written.

    Raises:
        DatabaseError: it is missing or cannot be read.

    """
    current_stop().check()
    with Store.open_to_read(where, retry_policy=_reporting_retry_policy()) as store:
        _report_migration(store)
        current_stop().check()
        with _explained_by_damage(store):
            yield store


def _reporting_retry_policy() -> RetryPolicy:
    """Return the policy that reports on stderr that a server is away, until the user stops."""
    retry_policy = RetryPolicy()
    retry_policy.report = print_error
    retry_policy.is_stop_requested = current_stop().is_requested
    return retry_policy


def is_missing(where: str) -> bool:
    """Return whether the database is a file that does not exist yet."""
    return "://" not in where and not Path(where).exists()


@contextmanager
def open_or_preview(where: str) -> Iterator[Store]:
    """Open the database to read it, or a temporary new one if it does not exist.

    A command that only reads must not leave a new file.

    Raises:
        Missing: the database is not there, and a bot was asked for that a new one would not hold.
        DatabaseError: it cannot be read.

    """
    if is_missing(where):
        with _temporary_database(where) as (store, _):
            yield store
        return
    with contextlib.ExitStack() as stack:
        try:
            store = stack.enter_context(open_to_read(where))
        except Missing:
            if "://" not in where:
                raise
            # The database on the server has no tables yet; one that does not exist is an error.
            store = stack.enter_context(open_store(where, create=True))
        if not store.is_read_only:
            _sync(store)
        yield store


@contextmanager
def open_draft(where: str) -> Iterator[Store]:
    """Open the database; a missing one is created when the block has ended without an error.

    A command that is refused in the block leaves no new file.

    Raises:
        Missing: the database is not there, and a bot was asked for that a new one would not hold.
        DatabaseError: it cannot be read.

    """
    if not is_missing(where):
        with open_or_preview(where) as store:
            yield store
        return
    with _temporary_database(where) as (store, file):
        yield store
        store.close()
        # If that fails, the next opening creates the database or reports the reason.
        with contextlib.suppress(OSError):
            _put(file, Path(where).absolute())


@contextmanager
def open_to_fill(where: str) -> Iterator[Store]:
    """Open the database to write it; a missing one appears, filled, when the block has ended.

    Raises:
        Unwritable: a missing one cannot be created.
        DatabaseError: it cannot be opened.

    """
    place = Path(where).absolute()
    with contextlib.ExitStack() as stack:
        opened = None
        if is_missing(where):
            with contextlib.suppress(OSError):  # of which the opening below gives the reason
                opened = stack.enter_context(_temporary_database(where, place.parent))
        if opened is None:
            yield stack.enter_context(open_store(where, create=True, sync=True))
            return
        store, file = opened
        yield store
        store.close()
        try:
            _publish(file, place)
        except FileExistsError:
            problem = f"another process has created {place} meanwhile, and nothing was stored"
            raise UsageError(f"{problem}: start again") from None
        except OSError as error:
            problem = f"the database {place} cannot be created: {error.strerror or error}"
            raise Unwritable(f"{problem}; choose another place by `--db`") from error


def _publish(file: Path, place: Path) -> None:
    """Give a closed database its name, in the same file system. Raises OSError."""
    try:
        os.link(file, place)  # fails when another process was faster
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if place.exists():
            raise FileExistsError from None
        file.rename(place)


@contextmanager
def _temporary_database(where: str, beside: Path | None = None) -> Iterator[tuple[Store, Path]]:
    """Open a new database in a temporary file, for a missing one.

    Args:
        where: the missing database.
        beside: the folder in which the folder of the file is made; None: that of the system.

    """
    with (
        tempfile.TemporaryDirectory(prefix=".ladder-new-", dir=beside) as folder,
        current_stop().before_sudden_exit(partial(shutil.rmtree, folder, ignore_errors=True)),
    ):
        file = Path(folder) / "new.db"
        with open_store(str(file), create=True, sync=True) as store:
            try:
                yield store, file
            except (UnknownRow, UnknownBot) as error:
                raise _missing(where, error) from error


def _missing(where: str, error: Exception) -> Exception:
    place = Path(where).absolute()
    problem = getattr(error, "problem", error)  # without the option, which is not to blame
    return Missing(f"there is no database {place}, so only built-in players are known: {problem}")


def _put(file: Path, place: Path) -> None:
    """Move a closed database to its place, whole or not at all. Raises OSError."""
    if any(file.parent.glob(f"{file.name}-*")):
        raise FileExistsError  # an SQLite log beside it: the file alone is not complete
    new = place.with_name(f".{place.name}.new-{os.getpid()}")
    try:
        shutil.copyfile(file, new)
        os.link(new, place)  # fails when another process was faster
    finally:
        new.unlink(missing_ok=True)
