"""Solved positions and verdicts on games: a cache of `ladder analyze`."""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, delete, func, insert, select

from db.columns import to_record, to_values
from db.database import Queries
from db.models import SOLVED_POSITIONS, VERDICTS, Game, StoredSolution, StoredVerdict
from db.queries.games import narrow
from db.records import analysis as records
from db.records.games import GameQuery


class Analysis(Queries):
    """The stored results of `ladder analyze`."""

    def games(
        self, wanted: GameQuery, solver_version: int, limit: int | None = None
    ) -> list[records.GameToAnalyse]:
        """Return the newest games that fit, at most `limit`, with what is known of them.

        Raises:
            UnknownRow: a bot is unknown.

        """
        of_solver = (StoredVerdict.game_id == Game.id) & (
            StoredVerdict.solver_version == solver_version
        )
        query = (
            select(Game.id, Game.board, func.coalesce(StoredVerdict.nodes, 0))
            .outerjoin(VERDICTS, of_solver)
            .order_by(Game.id.desc())
            .limit(limit)
        )
        with self._database.reading() as connection:
            rows = connection.execute(narrow(connection, query, wanted))
            return [records.GameToAnalyse(*row) for row in rows]

    def solved(self, keys: Iterable[bytes]) -> dict[bytes, records.SolvedPosition]:
        """Return the stored positions among these, by key."""
        query = select(SOLVED_POSITIONS).where(StoredSolution.key.in_(set(keys)))
        return {row.key: to_record(records.SolvedPosition, row) for row in self._rows(query)}

    def save(
        self,
        positions: Sequence[records.SolvedPosition],
        verdict: records.GameVerdict | None = None,
    ) -> None:
        """Store positions and a game's verdicts, replacing older ones.

        Verdicts on a game that was deleted meanwhile are not stored.
        """
        if not positions and verdict is None:
            return
        with self._database.writing() as connection:
            for one in positions:
                connection.execute(delete(SOLVED_POSITIONS).where(StoredSolution.key == one.key))
            if positions:
                connection.execute(insert(SOLVED_POSITIONS), [to_values(one) for one in positions])
            if verdict is not None and _game_exists(connection, verdict.game_id):
                connection.execute(delete(VERDICTS).where(StoredVerdict.game_id == verdict.game_id))
                connection.execute(insert(VERDICTS).values(**to_values(verdict)))

    def judged(
        self, division_id: int, *, since: float | None = None, games: Sequence[int] | None = None
    ) -> list[records.JudgedGame]:
        """Return a division's games that have verdicts, in the order of storing.

        Args:
            division_id: the division.
            since: leave out games that started before, in epoch seconds.
            games: ids of the only games to return; None for all.

        """
        query = (
            select(
                *(Game.id, Game.pair_id, Game.first_revision_id, Game.second_revision_id),
                *(Game.board, Game.opening_plies, Game.result, Game.termination),
                StoredVerdict.moves,
            )
            .join(VERDICTS, StoredVerdict.game_id == Game.id)
            .where(Game.division_id == division_id)
            .order_by(StoredVerdict.game_id)  # so that it begins with the games that have verdicts
        )
        if since is not None:
            query = query.where(Game.started_at >= since)
        if games is not None:
            query = query.where(Game.id.in_(games))
        return [records.JudgedGame(*row) for row in self._rows(query)]

    def delete_all(self) -> tuple[int, int]:
        """Delete all verdicts and solved positions; return the numbers of both."""
        with self._database.writing() as connection:
            return (
                connection.execute(delete(VERDICTS)).rowcount,
                connection.execute(delete(SOLVED_POSITIONS)).rowcount,
            )


def insert_new(connection: Connection, positions: Iterable[records.SolvedPosition]) -> None:
    """Store the first of each position that is not stored."""
    for one in positions:
        stored = connection.execute(select(StoredSolution.key).filter_by(key=one.key)).first()
        if stored is None:
            connection.execute(insert(SOLVED_POSITIONS).values(to_values(one)))


def _game_exists(connection: Connection, game_id: int) -> bool:
    return connection.execute(select(Game.id).where(Game.id == game_id)).first() is not None
