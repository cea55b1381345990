"""The results of divisions over time, and counts of one run."""

from collections import Counter
from typing import Any

from sqlalchemy import Connection, Select, func, select

from db.database import Queries
from db.models import Game, Pair
from db.queries.bots import read_bot_names
from db.queries.games import games_of_run
from db.records.aggregate import HistorySlice, SlicedPairs
from db.records.runs import ForfeitTally, RunTally, SideTally
from engine.result import Result, Termination


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


LONGEST_GAP_S = 60.0
"""A longer pause between games, in seconds, does not count as playing time."""


class Tallies(Queries):
    """Counts of a run's finished games."""

    def of_run(self, run_id: int) -> RunTally:
        """Return results by bot, forfeits by bot and kind, and the time with games in play.

        This takes about a second for a million games.
        """
        with self._database.reading() as connection:
            results = connection.execute(games_of_run(connection, _results(), run_id)).all()
            spans = games_of_run(connection, _spans(), run_id).subquery()
            gap = func.coalesce(spans.c.started - spans.c.former, 0.0)
            played = select(
                func.coalesce(func.max(spans.c.ended) - func.min(spans.c.started), 0.0)
                - func.coalesce(func.sum(gap).filter(gap > LONGEST_GAP_S), 0.0)
            )
            played_s = float(connection.execute(played).scalar_one())
            forfeits = _forfeits(connection, results)
        return RunTally(_sides(results), forfeits, played_s)


def _results() -> Select[Any]:
    kinds: tuple[Any, ...] = (
        Game.first_revision_id,
        Game.second_revision_id,
        Game.result,
        Game.termination,
        Game.offender,
    )
    counts: tuple[Any, ...] = (func.count().label("games"), func.min(Game.id).label("first_game"))
    return select(*kinds, *counts).group_by(*kinds)


def _spans() -> Select[Any]:
    """Select each game's start and end, and the latest end of the games before it."""
    ended = Game.started_at + Game.duration_us / 1e6
    former = func.max(ended).over(order_by=(Game.started_at, Game.id), rows=(None, -1))
    columns: tuple[Any, ...] = (
        Game.started_at.label("started"),
        ended.label("ended"),
        former.label("former"),
    )
    return select(*columns)


def _sides(rows: Any) -> tuple[SideTally, ...]:
    sums: dict[int, list[int]] = {}
    for row in rows:
        sides = ((row.first_revision_id, row.result), (row.second_revision_id, row.result.mirrored))
        for revision, own in sides:
            count = sums.setdefault(revision, [0, 0, 0, 0])
            count[(Result.WIN, Result.DRAW, Result.LOSS).index(own)] += row.games
        if row.offender is not None:
            offender = sides[row.offender][0]
            sums[offender][3] += row.games
    return tuple(SideTally(revision, *count) for revision, count in sorted(sums.items()))


def _forfeits(connection: Connection, rows: Any) -> tuple[ForfeitTally, ...]:
    games: Counter[tuple[int, Termination]] = Counter()
    first: dict[tuple[int, Termination], int] = {}
    for row in rows:
        if row.offender is not None:
            revision = (row.first_revision_id, row.second_revision_id)[row.offender]
            key = revision, row.termination
            games[key] += row.games
            first[key] = min(row.first_game, first.get(key, row.first_game))
    query = select(Game.id, Game.detail).where(Game.id.in_(first.values()))
    details = {row.id: row.detail for row in connection.execute(query)} if first else {}
    return tuple(
        ForfeitTally(*key, games[key], first[key], details[first[key]]) for key in sorted(first)
    )
