"""Opening databases: creation and refusals."""

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine.interfaces import CacheStats

from db.backends.sqlite import APPLICATION_ID
from db.errors import (
    Busy,
    Corrupt,
    DatabaseError,
    Missing,
    NotALadderDatabase,
    Unreachable,
    Unwritable,
)
from db.records.pairs import PlannedPair
from db.store import RetryPolicy, Store
from tests.db.making import add_bots, maker, new_bot, new_run, play_all, played, to_plan
from tests.support.former import write_former
from tests.support.storing import finish_pair


def pragma(place: str, name: str) -> object:
    with Store.open(place) as store, store.reading() as connection:
        return connection.exec_driver_sql(f"PRAGMA {name}").scalar()


@pytest.mark.sqlite_file
def test_new_file_is_made_with_our_settings(place: str) -> None:
    """A new database has the mark in its header, WAL mode, full sync and foreign keys."""
    assert pragma(place, "application_id") == APPLICATION_ID
    assert pragma(place, "journal_mode") == "wal"
    assert pragma(place, "synchronous") == 2
    assert pragma(place, "foreign_keys") == 1


@pytest.mark.sqlite_file
def test_a_process_compiles_a_statement_once_for_all_files(tmp_path: Path) -> None:
    """A page of the site opens a database anew, with the statements of the pages before."""
    found = []

    def note(_connection: object, _cursor: object, *statement: Any) -> None:
        found.append(statement[2].cache_hit)

    for name in ("one.db", "two.db"):
        with Store.open(str(tmp_path / name)) as store:
            found.clear()
            event.listen(store.reader, "after_cursor_execute", note)
            store.bots.all()
    assert {*found} == {CacheStats.CACHE_HIT}


@pytest.mark.parametrize(
    "name", ["ladder.db", "a b?c#d%20é.db", b"\xff.db".decode(errors="surrogateescape")]
)
def test_an_empty_file_becomes_a_database(tmp_path: Path, name: str) -> None:
    """Characters with a meaning in URLs are ordinary in a path; a URL names the same file."""
    place = tmp_path / name
    place.touch()
    with Store.open(str(place)) as store:
        assert store.path == str(place)
        add_bots(store, 1)
    for where in (str(place), f"sqlite:///{place}")[: 1 + name.startswith("ladder")]:
        with Store.open(where) as store:
            assert [bot.name for bot in store.bots.all()] == ["v1"]
    assert os.listdir(tmp_path) == [name]


READERS = (partial(Store.open, create=False), Store.open_to_read, Store.follow)
"""The ways to open a database that exists."""


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ("missing.db", Missing, "no database"),
        ("no/ladder.db", Unwritable, "no folder"),
        (".", Unwritable, "is a folder"),
    ],
)
def test_what_is_no_file_is_refused_and_not_created(
    tmp_path: Path, path: str, error: type[DatabaseError], words: str
) -> None:
    """A missing file, a missing folder and a folder in place of the file are named."""
    for open_it in READERS:
        with pytest.raises(error, match=words):
            open_it(str(tmp_path / path))
    if error is Unwritable:
        with pytest.raises(error, match=words):
            Store.open(str(tmp_path / path))
    assert os.listdir(tmp_path) == []


@pytest.mark.sqlite_file
@pytest.mark.parametrize("content", [b"hello", b"SQLite format 3\0" + b"y" * 5000, "delete", "wal"])
def test_another_programs_file_is_refused_untouched(place: str, content: bytes | str) -> None:
    """A text, a broken database and another program's are left alone, without files beside them."""
    if isinstance(content, bytes):
        Path(place).write_bytes(content)
    else:
        with closing(sqlite3.connect(place)) as other, other:
            other.execute(f"PRAGMA journal_mode={content}")
            other.execute("CREATE TABLE games (id INTEGER)")
    before = Path(place).read_bytes()
    for open_it in (Store.open, *READERS):
        with pytest.raises(NotALadderDatabase, match="not a ladder database"):
            open_it(place)
    assert Path(place).read_bytes() == before
    assert os.listdir(os.path.dirname(place)) == [os.path.basename(place)]


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_a_damaged_file_is_called_damaged(place: str) -> None:
    """The check reports a damaged page of games; a truncated file cannot be opened."""
    with Store.open(place) as store:
        play_all(store, new_run(store), add_bots(store), 60)
    with open(place, "r+b") as file:
        file.seek(-4096, os.SEEK_END)
        file.write(b"\xff" * 4096)
    with Store.open(place) as store:
        assert store.audit.integrity()
    os.truncate(place, os.path.getsize(place) // 2)
    with pytest.raises(Corrupt, match="damaged"):
        Store.open(place)


@pytest.mark.sqlite_file
def test_a_writer_fails_after_its_longest_wait_and_can_try_again(place: str) -> None:
    """A writer that waits for another one fails after the longest wait, and can try again."""
    with Store.open(place, busy_s=0.1, retry_policy=RetryPolicy(0.1)) as store:
        other = sqlite3.connect(place, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy, match="another process"):
            add_bots(store, 1)
        assert store.bots.all() == []
        other.execute("ROLLBACK")
        other.close()
        add_bots(store, 1)


@pytest.mark.sqlite_file
def test_a_command_waits_longer_than_one_timeout_for_another_writer(place: str) -> None:
    """Opening an old file and writing to it both wait, and report that, until the other is done."""
    write_former(place)
    waits: list[str] = []

    def report(sentence: str) -> None:
        waits.append(sentence)
        if other.in_transaction:
            other.rollback()

    retry_policy = RetryPolicy()
    retry_policy.report = report
    with closing(sqlite3.connect(place, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with Store.open(place, busy_s=0.01, retry_policy=retry_policy) as store:
            other.execute("BEGIN IMMEDIATE")
            store.bots.add(new_bot("late"))
    assert ["trying again" in sentence for sentence in waits] == [True, False] * 2


def test_an_unanswered_opening_is_given_up_sooner_than_a_lock() -> None:
    """The shorter wait while a database is opened is not for another process that writes."""
    errors: list[DatabaseError] = [Unreachable("away"), Busy("locked")]

    def attempt() -> None:
        if errors:
            raise errors.pop()

    retry_policy = RetryPolicy()
    with pytest.raises(Unreachable):
        retry_policy.retry(attempt, 0)
    assert errors == []


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://host/db", "not supported"),
        ("sqlite://", "memory"),
        ("postgresql+nonsense://host/db", "driver"),
        ("://", "not a database URL"),
    ],
)
def test_other_databases_and_bad_urls_are_refused(url: str, words: str) -> None:
    """Other databases and unreadable URLs are refused in a sentence."""
    with pytest.raises(DatabaseError, match=words):
        Store.open(url)


@pytest.mark.very_slow
@pytest.mark.sqlite_file
def test_several_processes_make_one_database(place: str) -> None:
    """Processes that open a new file at the same time all get the same sound database."""
    code = (
        "import sys; from db.records.runs import Conditions; from db.store import Store; "
        "s = Store.open(sys.argv[1], busy_s=0.01); "
        "s.divisions.ensure(Conditions('thu', 0, {'time_ms': 100})); s.close()"
    )
    with ThreadPoolExecutor() as threads:
        command = [sys.executable, "-c", code, place]
        done = [threads.submit(subprocess.run, command, check=False) for _ in range(3)]
        assert [each.result().returncode for each in done] == [0, 0, 0]
    with Store.open(place) as store:
        assert len(store.divisions.all()) == 1
        assert store.audit.integrity() == []
    assert [name for name in os.listdir(os.path.dirname(place)) if "backup" in name] == []


def test_an_error_rolls_back_and_leaves_the_store_usable(store: Store) -> None:
    """When `make` raises, no number is taken, and the next call works."""
    run, revisions = new_run(store), add_bots(store)

    def broken(number: int) -> PlannedPair:
        if number == 2:
            raise RuntimeError("stop")
        return maker(revisions)(number)

    with pytest.raises(RuntimeError, match="stop"):
        store.pairs.plan(run.id, 5, broken)
    assert store.pairs.planned(run.id) == []
    rows = store.pairs.plan(run.id, 2, maker(revisions))
    assert [row.number for row in rows] == [0, 1]
    assert finish_pair(store, to_plan(rows[0]), played(rows[0], Random(1)))
