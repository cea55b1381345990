"""New databases made with the statements of a first one, without running all migrations.

The migrations take 40 ms of processor time. Whatever opens a database is shown by `tests/db` and by
commands that run in processes of their own: these make theirs as users do.
"""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection

from db import migrations
from db.backends import Backend
from db.migrations.upgrade import stored_version, upgrade

OURS = "select sql from sqlite_master where sql is not null and name not like 'sqlite_%'"
_statements: list[str] = []


def quick_upgrade(connection: Connection, backend: Backend) -> None:
    """Create the tables of a new SQLite file by recorded statements; migrate any other one."""
    is_new = stored_version(connection, backend) is None
    if not is_new or connection.dialect.name != "sqlite":
        upgrade(connection, backend)
    elif not _statements:
        upgrade(connection, backend)
        _statements.extend(sql for (sql,) in connection.exec_driver_sql(f"{OURS} order by rowid"))
    else:
        backend.mark_new(connection)
        for statement in _statements:
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql("insert into alembic_version values (?)", (migrations.HEAD,))


@pytest.fixture(autouse=True)
def quick_databases() -> Iterator[None]:
    """Make new databases in the test's own process quickly."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("db.connection.database.upgrade", quick_upgrade)
        yield
