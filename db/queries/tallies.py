"""Counts of the games of one run."""

from collections import Counter
from typing import Any

from sqlalchemy import Connection, Select, func, select

from db.connection.database import Queries
from db.models import Game
from db.queries.games import games_of_run
from db.records.runs import ForfeitTally, RunTally, SideTally
from engine.result import Result, Termination

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
