"""Opening databases: creation and refusals."""

import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from random import Random

import pytest

from db.backends.sqlite import APPLICATION_ID
from db.database import Database
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
    with closing(Database.open(place)) as database, database.reading() as connection:
        return connection.exec_driver_sql(f"PRAGMA {name}").scalar()


@pytest.mark.sqlite_file
def test_new_file_is_made_with_our_settings(place: str) -> None:
    """A new database has the mark in its header, WAL mode, full sync and foreign keys."""
    assert pragma(place, "application_id") == APPLICATION_ID
    assert pragma(place, "journal_mode") == "wal"
    assert pragma(place, "synchronous") == 2
    assert pragma(place, "foreign_keys") == 1


@pytest.mark.sqlite_file
def test_empty_file_becomes_a_database(place: str) -> None:
    """An empty file becomes a new database."""
    Path(place).touch()
    with Store.open(place) as store:
        assert store.bots.all() == []


@pytest.mark.sqlite_file
def test_url_and_path_name_the_same_file(place: str) -> None:
    """``sqlite:///FILE`` opens the file, and the store knows its absolute path."""
    with Store.open(place) as store:
        add_bots(store, 1)
    with Store.open(f"sqlite:///{place}") as store:
        assert store.path == place
        assert [bot.name for bot in store.bots.all()] == ["v1"]


def test_odd_file_names_work(tmp_path: Path) -> None:
    """Characters with a meaning in URLs are ordinary in a path."""
    place = str(tmp_path / "a b?c#d%20é.db")
    for _ in range(2):
        with Store.open(place) as store:
            assert store.path == place
    assert os.path.exists(place)


@pytest.mark.sqlite_file
def test_missing_file_is_not_made_for_a_reader(place: str) -> None:
    """Without `create` a missing file is an error and stays missing."""
    with pytest.raises(Missing, match="no database"):
        Store.open(place, create=False)
    assert not os.path.exists(place)


def test_a_missing_folder_is_named_and_not_created(tmp_path: Path) -> None:
    """A missing folder is named and not created."""
    for open_it in (Store.open, Store.open_to_read, Store.follow):
        with pytest.raises(Unwritable, match="no folder"):
            open_it(str(tmp_path / "no" / "ladder.db"))
    assert os.listdir(tmp_path) == []


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """A folder in place of the file is refused in a sentence."""
    for open_it in (Store.open, Store.open_to_read, Store.follow):
        with pytest.raises(Unwritable, match="is a folder"):
            open_it(str(tmp_path))


@pytest.mark.sqlite_file
@pytest.mark.parametrize("content", [b"hello", b"x" * 5000, b"SQLite format 3\0" + b"y" * 5000])
def test_other_file_is_refused_untouched(place: str, content: bytes) -> None:
    """A file that is not a database is refused and left alone, without files beside it."""
    Path(place).write_bytes(content)
    with pytest.raises(NotALadderDatabase, match="not a ladder database"):
        Store.open(place)
    assert Path(place).read_bytes() == content
    assert os.listdir(os.path.dirname(place)) == [os.path.basename(place)]


@pytest.mark.sqlite_file
@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_other_programs_database_is_refused_untouched(place: str, mode: str) -> None:
    """Another program's SQLite file is refused and left alone, without files beside it."""
    other = sqlite3.connect(place)
    other.execute(f"PRAGMA journal_mode={mode}")
    other.execute("CREATE TABLE games (id INTEGER)")
    other.commit()
    other.close()
    content = Path(place).read_bytes()
    with pytest.raises(NotALadderDatabase):
        Store.open(place)
    assert Path(place).read_bytes() == content
    assert os.listdir(os.path.dirname(place)) == [os.path.basename(place)]


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_truncated_file_is_corrupt(place: str) -> None:
    """A truncated file is reported as damaged, not as another program's."""
    with Store.open(place) as store:
        play_all(store, new_run(store), add_bots(store), 60)
    with open(place, "r+b") as file:
        file.truncate(os.path.getsize(place) // 2)
    with pytest.raises(Corrupt, match="damaged"):
        Store.open(place)


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_damaged_page_is_found_by_the_check(place: str) -> None:
    """The integrity check reports a damaged page of games."""
    with Store.open(place) as store:
        play_all(store, new_run(store), add_bots(store), 60)
    with open(place, "r+b") as file:
        file.seek(-4096, os.SEEK_END)
        file.write(b"\xff" * 4096)
    with Store.open(place) as store:
        assert store.audit.integrity()


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
    write_former(place, "0024")
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


def _as_nobody(place: str, answers: "SimpleQueue[str]") -> None:
    if os.getuid() == 0:
        os.setuid(65534)
    try:
        with Store.open(place) as store:
            add_bots(store, 1)
    except DatabaseError as error:
        answers.put(type(error).__name__)
    else:
        answers.put("nothing")


@pytest.mark.parametrize("existing", [False, True])
def test_a_folder_without_permission_to_write_is_reported(existing: bool) -> None:
    """The message names the missing permission (checked as another user)."""
    folder = tempfile.mkdtemp()  # not tmp_path: another user must be able to look in
    place = os.path.join(folder, "ladder.db")
    try:
        if existing:
            Store.open(place).close()
            os.chmod(place, 0o444)
        os.chmod(folder, 0o555)  # noqa: S103 (others may look, that is the test)
        context = multiprocessing.get_context("fork")
        answers = context.SimpleQueue()
        child = context.Process(target=_as_nobody, args=(place, answers))
        child.start()
        child.join(30)
        assert answers.get() == "Unwritable"
        answers.close()
    finally:
        os.chmod(folder, 0o700)
        shutil.rmtree(folder)


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


@pytest.mark.slow
def test_up_to_date_database_is_opened_without_alembic(place: str) -> None:
    """Opening an up-to-date database does not import the migration library."""
    Store.open(place).close()
    code = (
        "import sys; from db.store import Store; Store.open(sys.argv[1]).close(); "
        "sys.exit('alembic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code, place], check=False).returncode == 0


@pytest.mark.very_slow
@pytest.mark.sqlite_file
def test_several_processes_make_one_database(place: str) -> None:
    """Processes that open a new file at the same time all get the same sound database."""
    code = (
        "import sys; from db.records.runs import Conditions; from db.store import Store; "
        "s = Store.open(sys.argv[1], busy_s=0.01); "
        "s.divisions.ensure(Conditions('thu', 0, {'time_ms': 100})); s.close()"
    )
    children = [subprocess.Popen([sys.executable, "-c", code, place]) for _ in range(3)]
    assert [child.wait(60) for child in children] == [0, 0, 0]
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
