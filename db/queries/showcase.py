"""Games worth showing: forfeits, short games and the latest ones."""

from sqlalchemy import text

from db.connection.database import Database
from db.connection.retry_policy import retried
from db.records.games import ShowcaseQuery


@retried
class Showcase:
    """Ids of a division's games that a report shows first."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def forfeits(self, wanted: ShowcaseQuery, number: int) -> list[int]:
        """Return the ids of the latest forfeited games."""
        # Forfeits are few and have an index by division, `ix_games_forfeited`.
        return self._ids(wanted, number, "offender IS NOT NULL ORDER BY id DESC", by_index=True)

    def shortest(self, wanted: ShowcaseQuery, number: int) -> list[int]:
        """Return the ids of the decided games with the fewest plies after the opening."""
        return self._ids(
            wanted,
            number,
            "offender IS NULL AND result <> 'draw' ORDER BY plies - opening_plies, id DESC",
        )

    def latest(self, wanted: ShowcaseQuery, number: int) -> list[int]:
        """Return the ids of the latest games."""
        return self._ids(wanted, number, "TRUE ORDER BY id DESC")

    def _ids(
        self, wanted: ShowcaseQuery, number: int, ending: str, *, by_index: bool = False
    ) -> list[int]:
        """Return the ids of a query's games.

        Args:
            wanted: the query.
            number: maximum number of games.
            ending: SQL of one more condition, and the order.
            by_index: whether to let the planner find the division by an index.

        """
        if number < 1 or not wanted.shown:
            return []
        current, shown = (
            ", ".join(str(int(key)) for key in sorted(keys))
            for keys in (wanted.current, wanted.shown)
        )
        # The plus sign keeps the planner from scanning `ix_games_lines`, whose order is scattered
        # over the table.
        division = "division_id" if by_index else "+division_id"
        query = text(
            "SELECT id FROM games "  # noqa: S608 - numbers and constants
            f"WHERE {division} = :division AND rated AND started_at >= :since "
            f"AND first_revision_id IN ({current}) AND second_revision_id IN ({current}) "
            f"AND (first_revision_id IN ({shown}) OR second_revision_id IN ({shown})) "
            f"AND {ending} LIMIT :number"
        )
        values = {"division": wanted.division, "since": wanted.since, "number": number}
        with self._database.reading() as connection:
            return [int(row[0]) for row in connection.execute(query, values)]
