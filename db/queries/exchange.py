"""Export and import of games."""

from collections.abc import Iterator, Sequence

from db.connection.database import Queries
from db.queries.exporter import export_lines
from db.queries.importer import import_lines
from db.records.exchange import GameLine, Imported


class Exchange(Queries):
    """Exchange of games with other databases."""

    def export_lines(
        self, division_id: int | None = None, *, ids: bool = False
    ) -> Iterator[GameLine]:
        """Stream all finished games by run, pair and game, with their numbers if `ids`."""
        return export_lines(self._database, division_id, ids=ids)

    def import_lines(self, pairs: Sequence[Sequence[GameLine]]) -> Imported:
        """Store all pairs of an export or none, skipping those that are already stored.

        Raises:
            NotImportable: a pair cannot be stored; see `db.queries.importer.import_lines`.

        """
        return import_lines(self._database, pairs)
