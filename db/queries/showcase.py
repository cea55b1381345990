"""Games worth looking at: forfeits, upsets, short games and the latest, by their ids."""

from collections.abc import Mapping

from sqlalchemy import text

from db.connection.database import Database
from db.records.games import ShowcaseQuery


class Showcase:
    """Which games of a division a page should show first."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def forfeits(self, wanted: ShowcaseQuery, number: int) -> list[int]:
        """The latest forfeits."""
        return self._ids(wanted, number, "offender IS NOT NULL ORDER BY id DESC")

    def shortest(self, wanted: ShowcaseQuery, number: int) -> list[int]:
        """The games lost after the fewest plies that the bots chose themselves."""
        return self._ids(
            wanted,
            number,
            "offender IS NULL AND result <> 'draw' ORDER BY plies - opening_plies, id DESC",
        )

    def latest(self, wanted: ShowcaseQuery, number: int) -> list[int]:
        """The games stored last."""
        return self._ids(wanted, number, "TRUE ORDER BY id DESC")

    def upsets(self, wanted: ShowcaseQuery, elo: Mapping[int, float], number: int) -> list[int]:
        """The games that the lower rated bot won, by the difference; `elo` is by revision."""
        if len(elo) < 2:
            return []
        rows = ", ".join(f"({int(revision)}, {float(value)!r})" for revision, value in elo.items())
        return self._ids(
            wanted,
            number,
            "offender IS NULL AND ((result = 'win' AND first.elo < second.elo) OR "
            "(result = 'loss' AND second.elo < first.elo)) "
            "ORDER BY abs(first.elo - second.elo) DESC, games.id DESC",
            given=f"WITH list (revision, elo) AS (VALUES {rows}) ",
            joined="JOIN list AS first ON first.revision = first_revision_id "
            "JOIN list AS second ON second.revision = second_revision_id ",
        )

    def _ids(
        self, wanted: ShowcaseQuery, number: int, rest: str, *, given: str = "", joined: str = ""
    ) -> list[int]:
        if number < 1 or not wanted.shown:
            return []
        current, shown = (
            ", ".join(str(int(key)) for key in sorted(keys))
            for keys in (wanted.current, wanted.shown)
        )
        query = text(
            f"{given}SELECT games.id FROM games {joined}"  # noqa: S608 - numbers and constants
            "WHERE division_id = :division AND rated AND started_at >= :since "
            f"AND first_revision_id IN ({current}) AND second_revision_id IN ({current}) "
            f"AND (first_revision_id IN ({shown}) OR second_revision_id IN ({shown})) "
            f"AND {rest} LIMIT :number"
        )
        values = {"division": wanted.division, "since": wanted.since, "number": number}
        with self._database.reading() as connection:
            return [int(row[0]) for row in connection.execute(query, values)]
