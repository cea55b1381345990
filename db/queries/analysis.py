"""Solved positions and verdicts on games: a cache of `ladder analyze`."""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, and_, delete, func, insert, or_, select

from db.columns import to_record, to_values
from db.database import Queries
from db.models import SOLVED_POSITIONS, VERDICTS, Game, StoredSolution, StoredVerdict
from db.queries.bots import find_revisions
from db.records import analysis as records

KEYS_AT_ONCE = 500
"""Keys in one statement: old versions of SQLite allow 999 parameters."""


class Analysis(Queries):
    """The stored results of `ladder analyze`."""

    def games(self, query: records.AnalysisQuery) -> list[records.GameToAnalyse]:
        """Return the games of a query, newest first.

        Raises:
            UnknownRow: a bot is unknown.

        """
        of_solver = and_(
            StoredVerdict.game_id == Game.id, StoredVerdict.solver_version == query.solver_version
        )
        wanted = (
            select(Game.id, Game.board, func.coalesce(StoredVerdict.nodes, 0))
            .outerjoin(VERDICTS, of_solver)
            .where(Game.division_id == query.division_id)
        )
        if query.rated_only:
            wanted = wanted.where(Game.rated.is_(True))
        with self._database.reading() as connection:
            if query.bots:
                revisions = [one for name in query.bots for one in find_revisions(connection, name)]
                wanted = wanted.where(
                    or_(
                        Game.first_revision_id.in_(revisions),
                        Game.second_revision_id.in_(revisions),
                    )
                )
            rows = connection.execute(wanted.order_by(Game.id.desc()).limit(query.games))
            return [records.GameToAnalyse(*row) for row in rows]

    def solved(self, keys: Iterable[bytes]) -> dict[bytes, records.SolvedPosition]:
        """Return the stored positions among these, by key."""
        wanted, found = list(dict.fromkeys(keys)), {}
        with self._database.reading() as connection:
            for start in range(0, len(wanted), KEYS_AT_ONCE):
                part = wanted[start : start + KEYS_AT_ONCE]
                query = select(SOLVED_POSITIONS).where(StoredSolution.key.in_(part))
                for row in connection.execute(query):
                    found[row.key] = to_record(records.SolvedPosition, row)
        return found

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
                Game.id,
                Game.pair_id,
                Game.first_revision_id,
                Game.second_revision_id,
                Game.board,
                Game.opening_plies,
                Game.result,
                Game.termination,
                StoredVerdict.moves,
            )
            .join(VERDICTS, StoredVerdict.game_id == Game.id)
            .where(Game.division_id == division_id)
            .order_by(StoredVerdict.game_id)  # so that it begins with the games that have verdicts
        )
        if since is not None:
            query = query.where(Game.started_at >= since)
        wanted = None if games is None else set(games)
        if wanted is not None and len(wanted) <= KEYS_AT_ONCE:
            query = query.where(Game.id.in_(wanted))
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [records.JudgedGame(*row) for row in rows if wanted is None or row.id in wanted]

    def delete_all(self) -> tuple[int, int]:
        """Delete all verdicts and solved positions; return the numbers of both."""
        with self._database.writing() as connection:
            return (
                connection.execute(delete(VERDICTS)).rowcount,
                connection.execute(delete(SOLVED_POSITIONS)).rowcount,
            )


def _game_exists(connection: Connection, game_id: int) -> bool:
    return connection.execute(select(Game.id).where(Game.id == game_id)).first() is not None
