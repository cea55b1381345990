"""Sets of openings, stored by content so that a run can be resumed without the file."""

import time

from sqlalchemy import Connection, insert, select

from db.columns import to_record, to_values
from db.connection.database import Queries
from db.models import OPENING_SETS, StoredOpeningSet
from db.records.opening_sets import OpeningSetRow


class OpeningSets(Queries):
    """The sets of openings of a database."""

    def save(self, row: OpeningSetRow) -> None:
        """Store a set unless it is stored already."""
        with self._database.reading() as connection:
            is_stored = find_set(connection, row.content_hash) is not None
        if not is_stored:
            with self._database.writing() as connection:
                insert_set(connection, row)

    def find(self, word: str) -> list[OpeningSetRow]:
        """Return the sets with this file name or beginning of the hash, newest first."""
        query = select(OPENING_SETS).order_by(StoredOpeningSet.created_at.desc())
        with self._database.reading() as connection:
            rows = [to_record(OpeningSetRow, row) for row in connection.execute(query)]
        return [
            row for row in rows if word and (row.name == word or row.content_hash.startswith(word))
        ]


def find_set(connection: Connection, content_hash: str) -> OpeningSetRow | None:
    """Return the set with this hash, or None."""
    query = select(OPENING_SETS).where(StoredOpeningSet.content_hash == content_hash)
    row = connection.execute(query).first()
    return None if row is None else to_record(OpeningSetRow, row)


def insert_set(connection: Connection, row: OpeningSetRow) -> None:
    """Store a set unless it is stored already, in a transaction that holds the write lock."""
    if find_set(connection, row.content_hash) is None:
        connection.execute(insert(OPENING_SETS).values(**to_values(row), created_at=time.time()))
