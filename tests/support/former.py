"""Databases that earlier versions of this program wrote."""

import gzip
from pathlib import Path

from tests.support.sql import execute_sql

FOLDER = Path(__file__).parents[1] / "data" / "former"
"""A file that release 0.2.0 wrote (database version 0100), with runs of every kind, a renamed bot,
an interrupted run, waiting jobs and a game of a person; and what that release printed of it."""


def write_former(place: str) -> None:
    """Write a file of database version 0100."""
    Path(place).write_bytes(gzip.decompress((FOLDER / "0100.db.gz").read_bytes()))


def call_version(place: str, version: str) -> None:
    """Let a database say that another version wrote it."""
    execute_sql(place, f"UPDATE alembic_version SET version_num = '{version}'")  # noqa: S608
