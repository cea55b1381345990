"""Databases that earlier versions of this program wrote."""

import gzip
from pathlib import Path

from sqlalchemy import MetaData, create_engine, insert, select, text
from sqlalchemy.pool import NullPool

from db.backends.place import locate
from tests.support.sql import execute_sql

FOLDER = Path(__file__).parents[1] / "data" / "former"
"""Files of the versions 0019 and 0024, each with several divisions, forfeits, gates and retired or
foreign bots, written by those versions; the former has a queue and games of people, too."""


def write_former(place: str, version: str, folder: Path) -> None:
    """Write a former database to a new file, or to a database on a server.

    Args:
        place: its path or URL; tables on a server are dropped first.
        version: 0019 or 0024.
        folder: an empty folder for a copy.

    """
    content = gzip.decompress((FOLDER / f"{version}.db.gz").read_bytes())
    path = locate(place).path
    if path is not None:
        Path(path).write_bytes(content)
        return
    copy = folder / "former.db"
    copy.write_bytes(content)
    source = create_engine(f"sqlite:///{copy}", poolclass=NullPool)
    target = create_engine(locate(place).url, poolclass=NullPool)
    tables = MetaData()
    with source.connect() as old, target.begin() as new:
        present = MetaData()
        present.reflect(new)
        present.drop_all(new)
        tables.reflect(old)
        for table in tables.tables.values():
            for column in table.columns:
                column.type = column.type.as_generic()
        tables.create_all(new)
        for table in tables.sorted_tables:
            rows = [dict(row) for row in old.execute(select(table)).mappings()]
            if rows:
                new.execute(insert(table), rows)
            if rows and "id" in table.c and table.c.id.primary_key:
                last = max(row["id"] for row in rows)
                sequence = text("SELECT setval(pg_get_serial_sequence(:table, 'id'), :last)")
                new.execute(sequence, {"table": table.name, "last": last})


def call_version(place: str, version: str) -> None:
    """Let a database say that another version wrote it."""
    execute_sql(place, f"UPDATE alembic_version SET version_num = '{version}'")  # noqa: S608
