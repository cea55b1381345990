"""The pairs of a division in the order of planning, counted in slices of equal width."""

from typing import Any

from sqlalchemy import func, select

from db.connection.database import Database
from db.connection.retry_policy import retried
from db.models import Pair
from db.queries.bots import read_bot_names
from db.records.history import HistorySlice, SlicedPairs

_PAIRS = Pair.__table__.c


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
        chosen: list[Any] = [
            _PAIRS.division_id + 0 == division_id,  # so that the table is scanned, not the index
            _PAIRS.rated.is_(True),
            _PAIRS.second_result.is_not(None),
        ]
        if since is not None:
            chosen.append(_PAIRS.started_at >= since)
        ends = select(func.min(_PAIRS.id), func.max(_PAIRS.id)).where(*chosen)
        with self._database.reading() as connection:
            low, high = connection.execute(ends).one()
            if low is None:
                return []
            names = read_bot_names(connection)
            found: dict[int, HistorySlice] = {}
            by = (
                ((_PAIRS.id - low) * slices // (high - low + 1)).label("slice"),
                *(_PAIRS.board_class, _PAIRS.a_revision_id, _PAIRS.b_revision_id),
                *(_PAIRS.first_result, _PAIRS.second_result),
            )
            starts = (func.min(_PAIRS.started_at), func.max(_PAIRS.started_at))
            query = select(*by, func.count(), *starts).where(*chosen).group_by(*by).order_by(by[0])
            for (
                number,
                board_class,
                a,
                b,
                first,
                second,
                count,
                earliest,
                latest,
            ) in connection.execute(query):
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
                        results=(first, second),
                        count=count,
                    )
                )
        return list(found.values())
