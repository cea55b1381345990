"""Bring a database to the newest version when it is opened.

Everything happens under the write lock, in one transaction: two processes that open a new or an
older file at once do it once, and a failure half-way leaves the file as it was.
"""

import os
import sqlite3

from sqlalchemy import Connection, inspect

from db import migrations
from db.connection.place import (
    APPLICATION_ID,
    Place,
)
from db.errors import NotOurs, TooNew


def stored_version(connection: Connection) -> str | None:
    """The version of the database; None when it has no tables yet.

    Raises:
        NotOurs: there are tables, but not that of our versions.

    """
    if connection.dialect.name == "sqlite":
        found = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type='table'")
        tables = {name for (name,) in found}
    else:
        tables = set(inspect(connection).get_table_names())
    if "alembic_version" in tables:
        row = connection.exec_driver_sql("SELECT version_num FROM alembic_version").first()
        if row is not None:
            return str(row[0])
    if tables - {"alembic_version"}:
        raise NotOurs(f"{connection.engine.url.database} holds tables of another program")
    return None


def upgrade(connection: Connection, place: Place) -> None:
    """Make the tables, or migrate older ones after a backup copy.

    The connection is in a transaction that holds the write lock; the caller commits it.

    Raises:
        NotOurs: the tables are another program's.
        TooNew: the version is unknown here.

    """
    version = stored_version(connection)
    if version == migrations.HEAD:
        return
    # Imported only here: it takes a tenth of a second that an up-to-date database need not pay.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(migrations.SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    if version is not None:
        known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
        if version not in known:
            raise TooNew(
                f"{place} was written by a newer version of this program "
                f"(database version {version}, here {migrations.HEAD}); update the program"
            )
        if place.path is not None:
            copy_before_upgrade(place.path, version)
    elif place.path is not None:
        connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION_ID}")
    command.upgrade(config, "head")


def copy_before_upgrade(path: str, version: str) -> str:
    """Copy a SQLite file to ``<file>.backup-<version>`` and return the copy's path.

    An older copy of that name is kept: the new one gets a number behind it.
    """
    target, count = f"{path}.backup-{version}", 1
    while os.path.exists(target):
        count += 1
        target = f"{path}.backup-{version}-{count}"
    unfinished = target + ".tmp"
    source = sqlite3.connect(path)
    try:
        copy = sqlite3.connect(unfinished)
        try:
            source.backup(copy)
        finally:
            copy.close()
        os.replace(unfinished, target)
    finally:
        source.close()
        if os.path.exists(unfinished):
            os.remove(unfinished)
    return target
