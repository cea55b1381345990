"""Databases that earlier versions of this program wrote."""

import gzip
from pathlib import Path

from tests.support.sql import execute_sql

FOLDER = Path(__file__).parents[1] / "data" / "former"
"""Files of the versions 0019 and 0024, each with several divisions, forfeits, gates and retired or
foreign bots, written by those versions; the former has a queue and games of people, too."""


def write_former(place: str, version: str) -> None:
    """Write a file of the version 0019 or 0024."""
    Path(place).write_bytes(gzip.decompress((FOLDER / f"{version}.db.gz").read_bytes()))


def call_version(place: str, version: str) -> None:
    """Let a database say that another version wrote it."""
    execute_sql(place, f"UPDATE alembic_version SET version_num = '{version}'")  # noqa: S608
