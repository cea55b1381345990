"""Games worth looking at: forfeits, upsets, short games and the latest, by their ids."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, text

from db.connection.database import Database

_OF_DIVISION = "division_id = :division AND rated AND started_at >= :since"
_FORFEITS = text(
    f"SELECT id FROM games WHERE {_OF_DIVISION} AND offender IS NOT NULL "  # noqa: S608 - constants
    "ORDER BY id DESC LIMIT :number"
)
_SHORTEST = text(
    f"SELECT id FROM games WHERE {_OF_DIVISION} AND offender IS NULL AND result <> 'draw' "  # noqa: S608
    "ORDER BY plies - opening_plies, id DESC LIMIT :number"
)
_LATEST = text(f"SELECT id FROM games WHERE {_OF_DIVISION} ORDER BY id DESC LIMIT :number")  # noqa: S608


class Showcase:
    """Which games of a division a page should show first."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def forfeits(self, division_id: int, *, since: float | None, number: int) -> list[int]:
        """The latest forfeits."""
        return self._ids(_FORFEITS, division_id, since, number)

    def shortest(self, division_id: int, *, since: float | None, number: int) -> list[int]:
        """The games lost after the fewest plies that the bots chose themselves."""
        return self._ids(_SHORTEST, division_id, since, number)

    def latest(self, division_id: int, *, since: float | None, number: int) -> list[int]:
        """The games stored last."""
        return self._ids(_LATEST, division_id, since, number)

    def upsets(
        self, division_id: int, elo: Mapping[int, float], *, since: float | None, number: int
    ) -> list[int]:
        """The games that the lower rated bot won, by the difference; `elo` is by revision."""
        if len(elo) < 2:
            return []
        rows = ", ".join(f"({int(revision)}, {float(value)!r})" for revision, value in elo.items())
        query = text(
            f"WITH list (revision, elo) AS (VALUES {rows}) "  # noqa: S608 - numbers only
            "SELECT games.id FROM games JOIN list AS first ON first.revision = first_revision_id "
            "JOIN list AS second ON second.revision = second_revision_id "
            f"WHERE {_OF_DIVISION} AND offender IS NULL AND "
            "((result = 'win' AND first.elo < second.elo) OR "
            "(result = 'loss' AND second.elo < first.elo)) "
            "ORDER BY abs(first.elo - second.elo) DESC, games.id DESC LIMIT :number"
        )
        return self._ids(query, division_id, since, number)

    def _ids(self, query: Any, division_id: int, since: float | None, number: int) -> list[int]:
        if number < 1:
            return []
        values = {"division": division_id, "since": 0.0 if since is None else since}
        with self._database.reading() as connection:
            return _column(connection, query, {**values, "number": number})


def _column(connection: Connection, query: Any, values: dict[str, Any]) -> list[int]:
    return [int(row[0]) for row in connection.execute(query, values)]
