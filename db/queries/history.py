"""The results of divisions over time, and forfeits and playing time of runs."""

import math
from typing import Any

from sqlalchemy import case, func, select

from db.columns import to_record
from db.database import Queries
from db.models import Game, Pair
from db.queries.bots import read_bot_names
from db.queries.games import games_of_run
from db.records.aggregate import HistorySlice, SlicedPairs
from db.records.runs import ForfeitTally

LONGEST_GAP_S = 60.0
"""A longer pause between games, in seconds, does not count as playing time."""


class History(Queries):
    """The results of divisions over time, and forfeits and playing time of runs."""

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
            counts = (
                func.count().label("number"),
                func.min(Pair.started_at).label("since"),
                func.max(Pair.started_at).label("until"),
            )
            query = select(*by, *counts).where(*chosen).group_by(*by).order_by(by[0])
            for row in connection.execute(query):
                one = found.setdefault(int(row.slice), HistorySlice(row.since, row.until))
                one.since = min(one.since, row.since)
                one.until = max(one.until, row.until)
                a, b = row.a_revision_id, row.b_revision_id
                results = (row.first_result, row.second_result)
                one.pairs.append(
                    SlicedPairs(a, b, names[a], names[b], row.board_class, results, row.number)
                )
        return list(found.values())

    def forfeits(self, run_id: int) -> list[ForfeitTally]:
        """Return the forfeits of a run by revision and kind."""
        loser = case(
            (Game.offender == 0, Game.first_revision_id), else_=Game.second_revision_id
        ).label("revision")
        counts = (func.count().label("games"), func.min(Game.id).label("game"))
        query = (
            select(loser, Game.termination, *counts)
            .where(Game.offender.is_not(None))
            .group_by(loser, Game.termination)
            .order_by(loser, Game.termination)
        )
        with self._database.reading() as connection:
            rows = connection.execute(games_of_run(connection, query, run_id)).all()
            details = select(Game.id, Game.detail).where(Game.id.in_([row.game for row in rows]))
            known = {row.id: row.detail for row in connection.execute(details)}
        return [to_record(ForfeitTally, row, detail=known[row.game]) for row in rows]

    def played_s(self, run_id: int) -> float:
        """Return the seconds with pairs of a run in play, including pauses of up to a minute."""
        query = (
            select(Pair.started_at, Pair.duration_us)
            .where(Pair.run_id == run_id, Pair.started_at.is_not(None))
            .order_by(Pair.started_at)
        )
        played, until = 0.0, -math.inf
        with self._database.reading() as connection:
            for started, duration_us in connection.execute(query):
                ended = started + duration_us / 1e6
                begins = until if started - until <= LONGEST_GAP_S else started
                played += max(ended - begins, 0.0)
                until = max(until, ended)
        return played
