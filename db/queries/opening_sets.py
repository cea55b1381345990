"""Sets of openings: kept by their content, so that a run goes on without the file."""

import time
from typing import Any

from sqlalchemy import Connection, insert, select

from db.connection.database import Database
from db.connection.retry_policy import retried
from db.models import OpeningSet
from db.records.opening_sets import OpeningSetRow


@retried
class OpeningSets:
    """The sets of openings of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, row: OpeningSetRow) -> None:
        """Store a set; one of the same content stays as it is."""
        if self.get(row.content_hash) is None:
            with self._database.writing() as connection:
                keep_in(connection, row)

    def get(self, content_hash: str) -> OpeningSetRow | None:
        """The set of this hash."""
        return next((row for row in self.all() if row.content_hash == content_hash), None)

    def find(self, word: str) -> list[OpeningSetRow]:
        """The sets whose hash begins with a word, or whose file had it as its name."""
        return [
            row
            for row in self.all()
            if row.name == word or (word and row.content_hash[: len(word)] == word)
        ]

    def all(self) -> list[OpeningSetRow]:
        """All sets, the newest first."""
        with self._database.reading() as connection:
            query = select(OpeningSet.__table__).order_by(OpeningSet.created_at.desc())
            return [_row(row) for row in connection.execute(query)]


def set_in(connection: Connection, content_hash: str) -> OpeningSetRow | None:
    """The set of this hash."""
    query = select(OpeningSet.__table__).where(OpeningSet.content_hash == content_hash)
    row = connection.execute(query).first()
    return None if row is None else _row(row)


def keep_in(connection: Connection, row: OpeningSetRow) -> None:
    """Store a set that may be here already, in a transaction that holds the write lock."""
    if set_in(connection, row.content_hash) is None:
        connection.execute(
            insert(OpeningSet).values(
                content_hash=row.content_hash,
                name=row.name,
                lines=row.lines,
                created_at=time.time(),
            )
        )


def _row(row: Any) -> OpeningSetRow:
    return OpeningSetRow(content_hash=row.content_hash, name=row.name, lines=row.lines)
