"""The quick creation of databases in other tests."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from db.store import Store
from tests.support.new_databases import quick_upgrade


def dump(path: Path) -> list[str]:
    """Everything in a file, as statements, and the numbers that name it as ours."""
    with closing(sqlite3.connect(path)) as connection:
        marks = [
            f"{name} {connection.execute(f'pragma {name}').fetchone()}"
            for name in ("application_id", "user_version", "page_size", "journal_mode")
        ]
        return [*marks, *connection.iterdump()]


@pytest.mark.slow
def test_a_quick_database_is_that_of_the_migrations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables, indexes, rows and marks equal those of the migrations, byte by byte."""
    migrated, first, second = (tmp_path / f"{name}.db" for name in ("migrated", "first", "second"))
    Store.open(str(migrated)).close()
    monkeypatch.setattr("db.connection.database.upgrade", quick_upgrade)
    Store.open(str(first)).close()
    Store.open(str(second)).close()
    assert dump(first) == dump(second) == dump(migrated)
