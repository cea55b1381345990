"""Databases that this user can read but not write."""

import os
import socket
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from db.errors import DatabaseError, NotALadderDatabase, Unwritable
from db.store import Store
from tests.db.disks import fill, small_disk
from tests.db.making import add_bots, new_bot, new_run, play_all
from tests.support.former import call_version

pytestmark = pytest.mark.sqlite_file
PAIRS = 5


@pytest.fixture
def closed(open_folder: Path) -> Path:
    """Return a database that no process has open."""
    path = open_folder / "ladder.db"
    fill_database(path)
    return path


def fill_database(path: Path) -> None:
    with Store.open(str(path)) as store:
        play_all(store, new_run(store), add_bots(store), PAIRS)


def leave_log(path: Path, *, index: bool, empty: bool) -> None:
    """Kill a writer whose last change is only in the WAL, or that has made no change."""
    child = os.fork()
    if not child:
        store = Store.open(str(path))
        if not empty:
            store.bots.add(new_bot("late"))
        os._exit(0)  # nothing is closed
    os.waitpid(child, 0)
    for ending in ("-wal", "-shm"):
        Path(f"{path}{ending}").chmod(0o644)
    if not index:
        os.remove(f"{path}-shm")


def as_nobody(act: Callable[[], str]) -> str:
    """Return the outcome of an action as a user without write permission."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        if os.getuid() == 0:
            os.setuid(65534)
        try:
            told = act()
        except DatabaseError as error:
            told = f"{type(error).__name__}: {error}"
        except BaseException as error:  # the parent's test fails with it
            told = repr(error)
        os.write(writer, told.encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as answer:
        return answer.read()


def look(path: Path) -> str:
    """Return what a reader sees: kind, bots, and games by all three ways of reading."""
    with Store.open_to_read(str(path)) as store:
        games = len(list(store.games.stream()))
        tables = sum(2 * table.record.pairs for table in store.aggregate.of_division(1))
        assert games == tables == store.games.count(1) == 2 * PAIRS
        assert list(store.audit.outcomes()) == []
        assert len(list(store.exchange.export_lines())) == games
        return f"{'read-only' if store.is_read_only else 'open'} {len(store.bots.all())} bots"


def lock_up(path: Path, what: str) -> list[str]:
    """Take the right to write from the file or its folder; the folder's entries."""
    path.chmod(0o444)
    path.parent.chmod(0o555 if what == "folder" else 0o777)
    return sorted(entry.name for entry in path.parent.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "left", "told"),
    [
        ("file", "nothing", "read-only 4 bots"),
        ("folder", "nothing", "read-only 4 bots"),
        ("folder", "empty log and index", "read-only 4 bots"),
        ("folder", "log and index", "read-only 5 bots"),
        (
            "folder",
            "log",
            "Unwritable: {} was left by a process that was killed: run `ladder runs`",
        ),
    ],
)
def test_a_database_that_cannot_be_written_is_read(
    closed: Path, what: str, left: str, told: str
) -> None:
    """All committed games are read whatever files lie beside it, and those stay as they are."""
    if left != "nothing":
        leave_log(closed, index="index" in left, empty="empty" in left)
    before = lock_up(closed, what)
    content = closed.read_bytes()
    assert as_nobody(lambda: look(closed)).startswith(told.format(closed))
    assert sorted(entry.name for entry in closed.parent.iterdir()) == before
    assert closed.read_bytes() == content


@pytest.mark.slow
def test_a_database_that_another_user_begins_to_write_is_read(closed: Path) -> None:
    """The WAL of an open database is empty until its first change, which the reader must see."""
    here, there = socket.socketpair()

    def read_twice() -> str:
        with Store.open_to_read(str(closed)) as reader:
            before = len(reader.bots.all())
            there.send(b"1")
            there.recv(1)
            return f"{before} bots, then {len(reader.bots.all())}"

    with here, there, Store.open(str(closed)) as store, ThreadPoolExecutor() as threads:
        for ending in ("-wal", "-shm"):
            Path(f"{closed}{ending}").chmod(0o644)
        lock_up(closed, "folder")
        told = threads.submit(as_nobody, read_twice)
        told.add_done_callback(lambda _: there.send(b"1"))  # also if it fails before
        here.recv(1)
        store.bots.add(new_bot("late"))
        here.send(b"1")
        assert told.result() == "4 bots, then 5"


def test_an_older_database_that_cannot_be_written_is_refused(closed: Path) -> None:
    """The error names what to do, and the file stays as it is."""
    call_version(str(closed), "0100")
    before = lock_up(closed, "folder")
    content = closed.read_bytes()
    told = as_nobody(lambda: look(closed))
    assert told.startswith("Outdated: ")
    assert "`ladder runs` migrates it where the file can be written" in told
    assert sorted(entry.name for entry in closed.parent.iterdir()) == before
    assert closed.read_bytes() == content


@pytest.mark.slow
def test_every_change_of_what_cannot_be_written_is_refused(closed: Path) -> None:
    """It is refused in a sentence, and not made; a new file is not created."""
    lock_up(closed, "folder")

    def change(open_it: Callable[[str], Store], path: Path) -> str:
        with open_it(str(path)) as store:
            store.bots.retire("v1")
            return "changed"

    for open_it, path, words in (
        (Store.open_to_read, closed, "can only be read;"),
        (Store.open, closed, "cannot be written by this user; check the permissions"),
        (Store.open, closed.parent / "new.db", "cannot be written ("),
    ):
        told = as_nobody(partial(change, open_it, path))
        assert told.startswith(f"Unwritable: {path} {words}")
    closed.chmod(0)
    assert "permission" in as_nobody(lambda: look(closed))
    closed.chmod(0o644)
    closed.parent.chmod(0o755)
    assert look(closed) == "open 4 bots"


def test_another_programs_file_that_cannot_be_written_is_refused(open_folder: Path) -> None:
    for name, content in (("text.db", b"hello" * 999), ("other.db", b"")):
        path = open_folder / name
        path.write_bytes(content)
        if not content:
            with sqlite3.connect(path) as other:
                other.execute("CREATE TABLE games (id INTEGER)")
            other.close()
        path.chmod(0o444)
    open_folder.chmod(0o555)
    for name in ("text.db", "other.db"):
        path = open_folder / name
        assert as_nobody(lambda at=path: look(at)).startswith(NotALadderDatabase.__name__)  # type: ignore[misc]


@pytest.mark.slow
def test_a_change_while_reading_is_reported(closed: Path) -> None:
    """A file that is written while it is read as immutable is an error."""
    lock_up(closed, "file")

    def read_while_written() -> str:
        with Store.open_to_read(str(closed)) as store:
            os.utime(writer.fileno(), (1, 1))
            return f"{len(store.bots.all())} bots"

    closed.chmod(0o644)
    with closed.open("r+b") as writer:
        closed.chmod(0o444)
        os.fchown(writer.fileno(), 65534, -1)  # so that the reader may set the time
        told = as_nobody(read_while_written)
    assert told.startswith("Locked: ")
    assert "while it was read" in told


@pytest.mark.slow
def test_a_database_is_read_on_a_full_disk(tmp_path: Path) -> None:
    """SQLite has no disk space for the files that it keeps beside the database."""
    with small_disk(tmp_path / "small"):
        path = tmp_path / "small" / "ladder.db"
        fill_database(path)
        fill(path.parent / "filler")
        with pytest.raises(Unwritable, match="disk"):
            Store.open(str(path))
        assert look(path) == "read-only 4 bots"
