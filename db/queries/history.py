"""The pairs of a division in the order of storing, counted in slices of equal width."""

from sqlalchemy import text

from db.connection.database import Database
from db.connection.retry_policy import retried
from db.queries.bots import read_bot_names
from db.records.history import HistorySlice, SlicedPairs
from engine.result import Result

_SLICES = text(
    """
    SELECT (first.id - :low) * :slices / (:high - :low + 1) AS slice, first.board_class,
           first.first_revision_id, first.second_revision_id, first.result, second.result,
           count(*), min(first.started_at), max(first.started_at)
    FROM games AS first JOIN games AS second ON second.pair_id = first.pair_id AND second.game = 1
    WHERE +first.division_id = :division AND first.rated AND first.game = 0
      AND first.started_at >= :since
    GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1
    """
)
"""One scan of the table; game 1 of a pair is found by an index. The plus sign keeps the planner
from scanning `ix_games_lines`, whose order is scattered over the table, at five times the cost."""
_ENDS = text(
    "SELECT min(id), max(id) FROM games "
    "WHERE division_id = :division AND rated AND game = 0 AND started_at >= :since"
)


@retried
class History:
    """The results of divisions over time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def slices(
        self, division_id: int, *, since: float | None = None, slices: int = 50
    ) -> list[HistorySlice]:
        """Return a division's rated pairs in slices of the table, oldest first, none empty.

        Args:
            division_id: the division.
            since: leave out pairs that started before, in epoch seconds.
            slices: maximum number of slices.

        """
        parameters = {"division": division_id, "since": 0.0 if since is None else since}
        with self._database.reading() as connection:
            low, high = connection.execute(_ENDS, parameters).one()
            if low is None:
                return []
            names = read_bot_names(connection)
            found: dict[int, HistorySlice] = {}
            rows = connection.execute(
                _SLICES, {**parameters, "low": low, "high": high, "slices": slices}
            )
            for number, board_class, a, b, first, second, count, earliest, latest in rows:
                one = found.setdefault(int(number), HistorySlice(earliest, latest))
                one.since = min(one.since, earliest)
                one.until = max(one.until, latest)
                one.pairs.append(
                    SlicedPairs(
                        a_revision=a,
                        b_revision=b,
                        a_name=names[a],
                        b_name=names[b],
                        board_class=board_class,
                        results=(Result(first), Result(second).mirrored),
                        count=count,
                    )
                )
        return list(found.values())
