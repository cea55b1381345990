"""Games on their way out of this database and into it."""

from collections.abc import Iterator, Sequence

from db.connection.database import Database
from db.connection.retry_policy import retried
from db.queries.export import export_lines
from db.queries.import_ import import_lines
from db.records.aggregate import Rate
from db.records.exchange import GameLine, Imported


@retried
class Exchange:
    """The door for games of other databases."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def export_lines(
        self, division_id: int | None = None, *, ids: bool = False
    ) -> Iterator[GameLine]:
        """All finished games by run, pair and game, streamed; with their numbers if `ids`."""
        return export_lines(self._database, division_id, ids=ids)

    def import_lines(self, pairs: Sequence[tuple[GameLine, GameLine]], rate: Rate) -> Imported:
        """Store whole pairs of another database, all or none; pairs that are here are skipped.

        Raises:
            NotImportable: a pair is here and differs, or one of its bots is unknown.

        """
        return import_lines(self._database, pairs, rate)
