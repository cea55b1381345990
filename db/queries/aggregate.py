"""The aggregate as it is read: tables of pairs and live ratings."""

from typing import Any

from sqlalchemy import Connection, Select, select

from db.connection.database import Database
from db.models import Game, PairTable, Rating
from db.queries.bots import names_of_revisions
from db.queries.games import COLUMNS, games_of_run
from db.queries.pair_sums import (
    GAME_COLUMNS,
    KEY,
    SUMS,
    Key,
    add,
    contribution,
    to_row,
    whole_pairs,
)
from db.queries.rebuild import rebuild_within
from db.records.aggregate import Difference, PairTableRow, Rate, RatingRow

_FOR_TABLES = tuple(COLUMNS[name] for name in GAME_COLUMNS)


class Aggregate:
    """The tables and live ratings that are derived from the rated games."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_division(self, division_id: int) -> list[PairTableRow]:
        """The stored aggregate of a division."""
        columns = [PairTable.__table__.c[name] for name in (*KEY, *SUMS)]
        query = select(*columns).where(PairTable.division_id == division_id).order_by(*columns[:4])
        with self._database.reading() as connection:
            names = names_of_revisions(connection)
            return [
                to_row((row[0], row[1], row[2], row[3]), list(row[4:]), names)
                for row in connection.execute(query)
            ]

    def since(self, division_id: int, since: float) -> list[PairTableRow]:
        """The aggregate of the rated pairs of which both games started at `since` or later."""
        with self._database.streaming() as connection:
            query = select(*_FOR_TABLES).where(
                Game.division_id == division_id, Game.rated.is_(True), Game.started_at >= since
            )
            return _tables(connection, query)

    def of_run(self, run_id: int) -> list[PairTableRow]:
        """The aggregate of one run's pairs, rated or not."""
        with self._database.streaming() as connection:
            return _tables(connection, games_of_run(connection, select(*_FOR_TABLES), run_id))

    def ratings(self, division_id: int) -> list[RatingRow]:
        """The live ratings of a division, highest first."""
        query = (
            select(Rating.division_id, Rating.revision_id, Rating.elo, Rating.games)
            .where(Rating.division_id == division_id)
            .order_by(Rating.elo.desc(), Rating.revision_id)
        )
        with self._database.reading() as connection:
            return [RatingRow(*row) for row in connection.execute(query)]

    def rebuild(self, rate: Rate, *, repair: bool = True) -> list[Difference]:
        """Compute marks of repeats, aggregate and live ratings anew; what was wrong before.

        One transaction; without `repair`, and when nothing was wrong, nothing is written, and
        without it no writer has to wait.
        """
        held = self._database.writing() if repair else self._database.reading()
        with held as connection:
            return rebuild_within(connection, rate, repair=repair)


def _tables(connection: Connection, query: Select[Any]) -> list[PairTableRow]:
    names = names_of_revisions(connection)
    totals = _accumulate(connection, query)
    return [to_row(key, totals[key], names) for key in sorted(totals)]


def _accumulate(connection: Connection, query: Select[Any]) -> dict[Key, list[int]]:
    """The aggregate of the whole pairs among the games of a query for GAME_COLUMNS."""
    totals: dict[Key, list[int]] = {}
    games = (
        dict(zip(GAME_COLUMNS, row, strict=True))
        for row in connection.execute(query.order_by(Game.id))
    )
    for game0, game1 in whole_pairs(games):
        add(totals, *contribution(game0, game1))
    return totals
