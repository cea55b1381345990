"""A database is followed while others write it."""

import contextlib
import os
import sqlite3
from pathlib import Path

import pytest

from db.errors import Missing, NotALadderDatabase, Outdated, Replaced, Unwritable
from db.records.runs import RunStatus
from db.store import Store
from tests.db.making import new_run
from tests.support.former import call_version


def test_the_mark_changes_with_each_commit_of_another(place: str) -> None:
    """A follower must notice exactly the commits of others."""
    with Store.open(place) as writer, Store.follow(place) as follower:
        before = follower.change_mark()
        assert follower.change_mark() == before
        new_run(writer)
        assert follower.change_mark() != before


def test_a_follower_cannot_write(place: str) -> None:
    """Every operation that writes must be refused."""
    with Store.open(place) as writer:
        run = new_run(writer)
    with Store.follow(place) as follower:
        assert follower.is_read_only
        with pytest.raises(Unwritable):
            follower.runs.set_status(run.id, RunStatus.FINISHED)


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_an_older_database_is_not_migrated(place: str) -> None:
    """A follower must leave an older file alone, and the error must name the remedy."""
    Store.open(place).close()
    call_version(place, "0100")
    before = Path(place).read_bytes()
    with pytest.raises(Outdated, match="ladder runs"):
        Store.follow(place)
    assert Path(place).read_bytes() == before
    assert os.listdir(Path(place).parent) == ["ladder.db"]


@pytest.mark.sqlite_file
def test_a_missing_and_a_foreign_file_are_refused(place: str) -> None:
    """No file may be created, and another program's file must be refused."""
    with pytest.raises(Missing):
        Store.follow(place)
    assert not os.path.exists(place)
    Path(place).write_text("no database, but a text that is long enough " * 20)
    with pytest.raises(NotALadderDatabase):
        Store.follow(place)


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_a_replaced_file_is_noticed(place: str, tmp_path: Path) -> None:
    """A replaced or deleted file must be noticed."""
    with Store.open(place) as made:
        assert not made.is_replaced  # although there was no file before
    other = tmp_path / "other.db"
    Store.open(str(other)).close()
    with Store.follow(place) as follower:
        assert not follower.is_replaced
        os.replace(other, place)
        assert follower.is_replaced


@pytest.mark.sqlite_file
@pytest.mark.parametrize("is_deleted", [True, False])
def test_nothing_is_stored_in_a_file_that_is_gone(
    place: str, tmp_path: Path, *, is_deleted: bool
) -> None:
    """A commit into a file that no path leads to would lose what it stores."""
    other = tmp_path / "other.db"
    other.touch()
    with Store.open(place) as writer:
        new_run(writer)
        if is_deleted:
            os.unlink(place)
        else:
            os.replace(other, place)
        with pytest.raises(Replaced, match="deleted or replaced while"):
            new_run(writer)


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_the_log_is_removed_after_the_last_reader(place: str) -> None:
    """The last follower to close must leave only the database file, with everything stored."""
    writer = Store.open(place)
    follower = Store.follow(place)
    new_run(writer)
    assert len(follower.runs.find()) == 1
    writer.close()
    follower.close()
    assert os.listdir(Path(place).parent) == ["ladder.db"]


@pytest.mark.sqlite_file
def test_a_follower_lets_the_log_be_taken_over(place: str) -> None:
    """Between its reads a follower must not delay a checkpoint."""
    with Store.open(place) as writer, Store.follow(place) as follower:
        for _ in range(5):
            new_run(writer)
            follower.runs.find()
        with contextlib.closing(sqlite3.connect(place)) as other:
            done = other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        assert done == (0, 0, 0)
