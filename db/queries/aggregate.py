"""Reading and rebuilding the aggregate: tables of pairs, and live ratings."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, CompoundSelect, Connection, Select, exists, func, select
from sqlalchemy.orm import aliased

from db.connection.database import Database
from db.connection.retry_policy import retried
from db.derived.pair_sums import (
    FORFEIT_KEY,
    GAME_COLUMNS,
    GRID,
    TABLE_KEY,
    TABLE_SUMS,
    PairSums,
    TableKey,
    add_sums,
    sum_pair,
    to_table_row,
    whole_pairs,
)
from db.derived.rebuild import rebuild_derived
from db.models import ForfeitCount, Game, PairTable, Rating
from db.queries.bots import read_bot_names
from db.queries.games import COLUMNS, games_of_run
from db.records.aggregate import DerivedDifference, PairTableRow, Rate, RatingRow

_FOR_TABLES = tuple(COLUMNS[name] for name in GAME_COLUMNS)


@retried
class Aggregate:
    """The tables and live ratings that are derived from rated games."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def count_games(self) -> dict[int, int]:
        """Return the number of rated games by division id, without zeros."""
        pairs = func.sum(sum((PairTable.__table__.c[name] for name in GRID[1:]), PairTable.ll))
        query = select(PairTable.division_id, pairs).group_by(PairTable.division_id)
        with self._database.reading() as connection:
            return {division: 2 * int(count) for division, count in connection.execute(query)}

    def of_division(self, division_id: int, *, since: float | None = None) -> list[PairTableRow]:
        """Return the aggregate of a division.

        Args:
            division_id: the division.
            since: count only pairs of which both games started then or later, in epoch seconds;
                all games of the division are then read. None for the stored aggregate.

        """
        if since is None:
            return self._stored(division_id)
        query = select(*_FOR_TABLES).where(
            Game.division_id == division_id, Game.rated.is_(True), Game.started_at >= since
        )
        with self._database.streaming() as connection:
            return _sum_games(connection, query)

    def _stored(self, division_id: int) -> list[PairTableRow]:
        columns = [PairTable.__table__.c[name] for name in (*TABLE_KEY, *TABLE_SUMS)]
        query = select(*columns).where(PairTable.division_id == division_id).order_by(*columns[:4])
        columns = [ForfeitCount.__table__.c[name] for name in (*FORFEIT_KEY, "games")]
        forfeits = select(*columns).where(ForfeitCount.division_id == division_id)
        with self._database.reading() as connection:
            names = read_bot_names(connection)
            tables: dict[Any, PairSums] = {
                tuple(row[:4]): PairSums(list(row[4:]), {}) for row in connection.execute(query)
            }
            for division, boards, a, b, offender, kind, games in connection.execute(forfeits):
                table = tables.get((division, boards, a, b))
                if table is not None:  # otherwise the row is damage, which an audit reports
                    table.forfeits[offender, kind] = games
        return [to_table_row(key, sums, names) for key, sums in tables.items()]

    def of_run(self, run_id: int) -> list[PairTableRow]:
        """Return the aggregate of a run's pairs, rated or not."""
        with self._database.streaming() as connection:
            return _sum_games(connection, games_of_run(connection, select(*_FOR_TABLES), run_id))

    def count_distinct(
        self,
        tables: Sequence[PairTableRow],
        *,
        since: float | None = None,
        run_id: int | None = None,
    ) -> int:
        """Return the number of distinct games (board and moves) in the tables.

        If the tables count no repeats, all games differ. Otherwise an index is read: 0.2 s for a
        million games.

        Args:
            tables: not empty; must contain every pairing of its revisions.
            since: the argument of `of_division` that gave the tables.
            run_id: the argument of `of_run` that gave the tables.

        """
        games = 2 * sum(row.pairs for row in tables)
        if not any(row.repeats for row in tables):
            return games
        listed = {each for row in tables for each in (row.a_revision, row.b_revision)}
        query = select(func.count(Game.line_hash.distinct()))
        with self._database.reading() as connection:
            if run_id is not None:
                query = games_of_run(connection, query, run_id)
            else:
                division = tables[0].division_id
                query = query.where(Game.division_id == division, Game.rated.is_(True))
                others = set(connection.execute(_revisions_of(division)).scalars()) - listed
                query = query.where(*_between(listed, others))
            if since is not None:
                query = query.where(*_whole_since(since))
            return int(connection.execute(query).scalar_one())

    def ratings(self, division_id: int) -> list[RatingRow]:
        """Return the live ratings of a division, highest first."""
        query = (
            select(Rating.division_id, Rating.revision_id, Rating.elo, Rating.games)
            .where(Rating.division_id == division_id)
            .order_by(Rating.elo.desc(), Rating.revision_id)
        )
        with self._database.reading() as connection:
            return [RatingRow(*row) for row in connection.execute(query)]

    def rebuild(self, rate: Rate, *, repair: bool = True) -> list[DerivedDifference]:
        """Recompute marks of repeats, the aggregate and live ratings; return what was wrong.

        Without `repair` nothing is written, and no writer has to wait.
        """
        transaction = self._database.writing() if repair else self._database.reading()
        with transaction as connection:
            return rebuild_derived(connection, rate, repair=repair)


def _revisions_of(division_id: int) -> CompoundSelect[int]:
    """Select the revisions in a division's aggregate."""
    in_division = PairTable.division_id == division_id
    return (
        select(PairTable.a_revision_id)
        .where(in_division)
        .union(select(PairTable.b_revision_id).where(in_division))
    )


def _between(listed: set[int], others: set[int]) -> list[ColumnElement[bool]]:
    """Require that both players are listed; test against the shorter of both lists, for speed."""
    players = (Game.first_revision_id, Game.second_revision_id)
    if len(others) < len(listed):
        return [player.not_in(others) for player in players] if others else []
    return [player.in_(listed) for player in players]


def _whole_since(since: float) -> list[ColumnElement[bool]]:
    """Require that both games of a pair started then or later."""
    partner = aliased(Game)
    whole = exists().where(
        partner.pair_id == Game.pair_id, partner.id != Game.id, partner.started_at >= since
    )
    return [Game.started_at >= since, whole]


def _sum_games(connection: Connection, query: Select[Any]) -> list[PairTableRow]:
    """Return the aggregate of the complete pairs in a query for GAME_COLUMNS."""
    names = read_bot_names(connection)
    tables: dict[TableKey, PairSums] = {}
    games = (
        dict(zip(GAME_COLUMNS, row, strict=True))
        for row in connection.execute(query.order_by(Game.id))
    )
    for game0, game1 in whole_pairs(games):
        add_sums(tables, *sum_pair(game0, game1))
    return [to_table_row(key, tables[key], names) for key in sorted(tables)]
