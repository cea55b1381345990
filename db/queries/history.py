"""The pairs of a division in the order of planning, counted in slices of equal width."""

from typing import Any

from sqlalchemy import func, select

from db.connection.database import Queries
from db.models import Pair
from db.queries.bots import read_bot_names
from db.records.history import HistorySlice, SlicedPairs


class History(Queries):
    """The results of divisions over time."""

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
            Pair.division_id + 0 == division_id,  # so that the table is scanned, not the index
            Pair.rated.is_(True),
            Pair.second_result.is_not(None),
        ]
        if since is not None:
            chosen.append(Pair.started_at >= since)
        ends = select(func.min(Pair.id), func.max(Pair.id)).where(*chosen)
        with self._database.reading() as connection:
            low, high = connection.execute(ends).one()
            if low is None:
                return []
            names = read_bot_names(connection)
            found: dict[int, HistorySlice] = {}
            by = (
                ((Pair.id - low) * slices // (high - low + 1)).label("slice"),
                *(Pair.board_class, Pair.a_revision_id, Pair.b_revision_id),
                *(Pair.first_result, Pair.second_result),
            )
            starts = (func.min(Pair.started_at), func.max(Pair.started_at))
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
