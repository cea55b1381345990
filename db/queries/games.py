"""Finished games as they are read."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Select, func, select, text

from db import thought_blob
from db.connection.database import Database
from db.models import Game, Pair, Run
from db.queries.bots import names_of_revisions
from db.records.games import (
    GameRow,
    SideSums,
)
from db.records.pairs import PairStatus
from engine.position import parse_moves
from engine.result import Result, Termination

COLUMNS = Game.__table__.c
"""Of the table of games, by name."""


class Games:
    """The finished games of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def stream(
        self,
        *,
        division_id: int | None = None,
        run_id: int | None = None,
        since: float | None = None,
        rated: bool | None = None,
        thoughts: bool = False,
    ) -> Iterator[GameRow]:
        """Finished games in the order in which they were stored, on a connection of their own."""
        wanted = [column for column in COLUMNS if thoughts or column.name != "thoughts"]
        query: Select[Any] = select(*wanted)
        if division_id is not None:
            query = query.where(Game.division_id == division_id)
        if since is not None:
            query = query.where(Game.started_at >= since)
        if rated is not None:
            query = query.where(Game.rated.is_(rated))
        with self._database.streaming() as connection:
            if run_id is not None:
                query = games_of_run(connection, query, run_id)
            names = names_of_revisions(connection)
            for row in connection.execute(query.order_by(Game.id)):
                yield _game(row, names, row.thoughts if thoughts else None)

    def get(self, game_id: int) -> GameRow | None:
        """One game with its thoughts."""
        with self._database.reading() as connection:
            row = connection.execute(select(Game.__table__).where(Game.id == game_id)).first()
            if row is None:
                return None
            return _game(row, names_of_revisions(connection), row.thoughts)

    def count(self, run_id: int) -> int:
        """How many finished games a run has; answered from an index of its pairs."""
        query = select(func.count()).where(
            Pair.run_id == run_id, Pair.status == PairStatus.FINISHED.value
        )
        with self._database.reading() as connection:
            return 2 * connection.execute(query).scalar_one()

    def count_by_run(self) -> dict[int, int]:
        """The number of finished games of every run that has any, by the run's id."""
        query = (
            select(Pair.run_id, 2 * func.count())
            .where(Pair.status == PairStatus.FINISHED.value)
            .group_by(Pair.run_id)
        )
        with self._database.reading() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def count_aborts(
        self,
        *,
        division_id: int | None = None,
        run_id: int | None = None,
        since: float | None = None,
    ) -> int:
        """How many games were abandoned, from the index of the pairs that had any.

        `since` leaves out the pairs that were finished before.
        """
        # A literal, because a partial index is not used for a condition with a parameter.
        query = select(func.coalesce(func.sum(Pair.aborts), 0)).where(text("pairs.aborts > 0"))
        if division_id is not None:
            runs = select(Run.id).where(Run.division_id == division_id, Run.rated)
            query = query.where(Pair.run_id.in_(runs))
        if run_id is not None:
            query = query.where(Pair.run_id == run_id)
        if since is not None:
            query = query.where(func.coalesce(Pair.finished_at, since) >= since)
        with self._database.reading() as connection:
            return int(connection.execute(query).scalar_one())


def games_of_run(connection: Connection, query: Select[Any], run_id: int) -> Select[Any]:
    """A query for games, narrowed to those of one run."""
    # A run's games lie close together, between those of runs beside it. Reading that stretch in
    # order needs neither an index of games by run nor a sort.
    bounds = (
        select(func.min(Game.id), func.max(Game.id))
        .join(Pair, Pair.id == Game.pair_id)
        .where(Pair.run_id == run_id, Pair.status == PairStatus.FINISHED.value)
    )
    low, high = connection.execute(bounds).one()
    return query.where(Game.run_id == run_id, Game.id.between(low or 0, high or 0))


def _game(row: Any, names: dict[int, str], blob: bytes | None) -> GameRow:
    return GameRow(
        id=row.id,
        pair_id=row.pair_id,
        run_id=row.run_id,
        division_id=row.division_id,
        rated=bool(row.rated),
        game=row.game,
        first_revision=row.first_revision_id,
        second_revision=row.second_revision_id,
        first=names[row.first_revision_id],
        second=names[row.second_revision_id],
        board=row.board,
        board_class=row.board_class,
        moves=parse_moves(row.moves),
        opening_plies=row.opening_plies,
        seed=row.seed,
        result=Result(row.result),
        termination=Termination(row.termination),
        detail=row.detail,
        offender=row.offender,
        started_at=row.started_at,
        duration_us=row.duration_us,
        sides=(
            SideSums(
                row.first_moves,
                row.first_time_us,
                row.first_max_us,
                row.first_simulations,
                row.first_searched_us,
            ),
            SideSums(
                row.second_moves,
                row.second_time_us,
                row.second_max_us,
                row.second_simulations,
                row.second_searched_us,
            ),
        ),
        repeat=bool(row.repeat),
        thoughts=() if blob is None else thought_blob.decode(blob),
    )
