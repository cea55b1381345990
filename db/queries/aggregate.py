"""Counts and sums of finished pairs, grouped by an index: what rating lists are computed from.

The tables of a division or a run are read once; later calls add the pairs that were finished since,
so that a page that follows a run never counts the whole database again.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select

from db.database import Database, Queries
from db.models import PAIR_SUMS, Game, Pair, Run
from db.queries.bots import read_bot_names
from db.queries.games import find_id_range
from db.records.aggregate import PairTableRow
from db.records.games import SideSums, SideTotals
from engine.result import Result

TableKey = tuple[int, str, int, int]
"""Division, board class, A's and B's revision; A's is not the greater one."""

_FINISHED = Pair.second_result.is_not(None)
_KEY = (Pair.division_id, Pair.board_class, Pair.a_revision_id, Pair.b_revision_id)
_ENDS = (Pair.first_result, Pair.second_result, Pair.first_termination, Pair.second_termination)
_SIDE = SideSums.__struct_fields__
_MAX_US = _SIDE.index("max_us")
_HASHES_AT_ONCE = 500
"""Hashes in one statement: old versions of SQLite allow 999 parameters."""


@dataclass(slots=True)
class _Table:
    """Counts and sums of the pairs of one key."""

    counts: list[int] = field(default_factory=lambda: [0] * 9)
    sides: tuple[list[int], list[int]] = field(
        default_factory=lambda: ([0] * len(_SIDE), [0] * len(_SIDE))
    )
    failures: tuple[dict[str, int], dict[str, int]] = field(default_factory=lambda: ({}, {}))


_Tables = dict[TableKey, _Table]


class _Marks(NamedTuple):
    """The state of the database when something was read."""

    last_game: int
    """Greatest id of a game; a pair's games are stored together, in ascending order."""
    deleted_runs: int
    """A number that each deletion of a run changes."""

    def is_before(self, now: "_Marks") -> bool:
        """Return whether only games have been added since."""
        return self.deleted_runs == now.deleted_runs and self.last_game <= now.last_game


class Aggregate(Queries):
    """Counts of finished pairs."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._tables: dict[tuple[str, int], tuple[_Marks, _Tables]] = {}
        """Tables that were read, by the column that selects the pairs and its value."""
        self._distinct_pairs: dict[
            tuple[str, int, float | None], tuple[_Marks, dict[Any, set[int]]]
        ] = {}
        """Contents of pairs by key, by the selecting column, its value and the first start."""
        self._distinct: dict[tuple[int | None, int, frozenset[int]], tuple[_Marks, int]] = {}
        """Distinct games that were counted, by run, division and revisions."""

    def count_games(self) -> dict[int, int]:
        """Return the number of rated games by division id, without zeros."""
        query = (
            select(Pair.division_id, func.count())
            .where(Pair.rated.is_(True), _FINISHED)
            .group_by(Pair.division_id)
        )
        with self._database.reading() as connection:
            return {division: 2 * count for division, count in connection.execute(query)}

    def of_division(self, division_id: int, *, since: float | None = None) -> list[PairTableRow]:
        """Return the tables of a division's rated pairs.

        Args:
            division_id: the division.
            since: count only pairs of which both games started then or later, in epoch seconds;
                the rows of all pairs are then read.

        """
        if since is None:
            return self._updated("division_id", division_id)
        with self._database.reading() as connection:
            chosen = [*_chosen("division_id", division_id), Pair.started_at >= since]
            return _to_rows(_count(connection, chosen), read_bot_names(connection))

    def of_run(self, run_id: int) -> list[PairTableRow]:
        """Return the tables of a run's pairs, rated or not."""
        return self._updated("run_id", run_id)

    def _updated(self, column: str, value: int) -> list[PairTableRow]:
        """Return tables, to which the pairs are added that were finished since the last call."""
        with self._database.reading() as connection:
            marks = _read_marks(connection)
            before, tables = self._tables.get((column, value), (marks, None))
            if tables is None or not before.is_before(marks):
                tables = _count(connection, _chosen(column, value))
            elif before != marks:
                _add(tables, _count(connection, _chosen(column, value, since=before.last_game)))
            self._tables[column, value] = marks, tables
            return _to_rows(tables, read_bot_names(connection))

    def count_distinct(
        self,
        tables: Sequence[PairTableRow],
        *,
        since: float | None = None,
        run_id: int | None = None,
    ) -> int:
        """Return the number of distinct games (board and moves) in the tables.

        An index is read, in 0.2 s for a million games; later calls look up the new games.

        Args:
            tables: must contain every pairing of its revisions.
            since: the argument of `of_division` that gave the tables.
            run_id: the argument of `of_run` that gave the tables.

        """
        if not tables:
            return 0
        listed = frozenset(each for row in tables for each in (row.a_revision, row.b_revision))
        key = run_id, tables[0].division_id, listed
        query = select(func.count(Game.line_hash.distinct()))
        with self._database.reading() as connection:
            if run_id is not None:
                chosen = [
                    Game.run_id == run_id,
                    Game.id.between(*find_id_range(connection, run_id)),
                ]
            else:
                chosen = _between(connection, *key[1:])
            if since is not None:
                whole = select(Pair.id).where(Pair.started_at >= since)
                chosen += [Game.started_at >= since, Game.pair_id.in_(whole)]
                return int(connection.execute(query.where(*chosen)).scalar_one())
            marks = _read_marks(connection)
            before, games = self._distinct.get(key, (marks, None))
            if games is None or not before.is_before(marks):
                games = int(connection.execute(query.where(*chosen)).scalar_one())
            elif before != marks:
                is_new = Game.id > before.last_game
                lines = connection.scalars(select(Game.line_hash).distinct().where(*chosen, is_new))
                fresh = lines.all()
                games += len(fresh)
                for start in range(0, len(fresh), _HASHES_AT_ONCE):
                    part = Game.line_hash.in_(fresh[start : start + _HASHES_AT_ONCE])
                    games -= connection.execute(query.where(*chosen, ~is_new, part)).scalar_one()
            self._distinct[key] = marks, games
            return games

    def with_distinct_pairs(
        self,
        tables: Sequence[PairTableRow],
        *,
        since: float | None = None,
        run_id: int | None = None,
    ) -> list[PairTableRow]:
        """Return the tables with their numbers of distinct pairs; arguments as `count_distinct`.

        All pairs are read, in 1.5 s for half a million; later calls read the new ones.
        """
        chosen = (
            ("run_id", run_id) if run_id is not None else ("division_id", tables[0].division_id)
        )
        with self._database.reading() as connection:
            marks = _read_marks(connection)
            before, contents = self._distinct_pairs.get((*chosen, since), (None, {}))
            if before is None or not before.is_before(marks):
                before, contents = None, defaultdict(set)
            if before != marks:
                pairs = _chosen(*chosen, since=None if before is None else before.last_game)
                pairs += [] if since is None else [Pair.started_at >= since]
                query = select(*_KEY, Pair.content).where(*pairs).distinct()
                for division, board_class, *sides, content in connection.execute(query):
                    contents[division, board_class, *sorted(sides)].add(content)
                self._distinct_pairs[*chosen, since] = marks, contents
        keys = [
            (row.division_id, row.board_class, row.a_revision, row.b_revision) for row in tables
        ]
        return [
            replace(row, distinct_pairs=len(contents[key]) if key in contents else None)
            for row, key in zip(tables, keys, strict=True)
        ]


def _read_marks(connection: Connection) -> _Marks:
    newest = select(func.coalesce(func.max(Game.id), 0)).scalar_subquery()
    # Keys are never reused, so the difference grows with each deleted run.
    deleted = select(func.coalesce(func.max(Run.id), 0) - func.count(Run.id)).scalar_subquery()
    return _Marks(*connection.execute(select(newest, deleted)).one())


def _between(
    connection: Connection, division: int, listed: frozenset[int]
) -> list[ColumnElement[bool]]:
    """Select the rated games between revisions, by the shorter of two lists, for speed."""
    in_division = (Pair.division_id == division, Pair.rated.is_(True), _FINISHED)
    met = select(Pair.a_revision_id, Pair.b_revision_id).where(*in_division).distinct()
    others = {each for row in connection.execute(met) for each in row} - listed
    chosen = [Game.division_id == division, Game.rated.is_(True)]
    for player in (Game.first_revision_id, Game.second_revision_id):
        if len(others) < len(listed):
            chosen += [player.not_in(others)] if others else []
        else:
            chosen.append(player.in_(listed))
    return chosen


def _chosen(column: str, value: int, *, since: int | None = None) -> list[ColumnElement[bool]]:
    """Select the finished rated pairs of a division, or the finished pairs of a run.

    Args:
        column: ``division_id`` or ``run_id``.
        value: the division or run.
        since: leave out pairs up to this game.

    """
    rated = [] if column == "run_id" else [Pair.rated.is_(True)]
    if since is None:
        return [Pair[column] == value, *rated, _FINISHED]
    fresh = Pair.id.in_(select(Game.pair_id).where(Game.id > since))
    # With the sum, the planner looks up the fresh pairs instead of reading the whole index.
    return [fresh, Pair[column] + 0 == value, *rated, _FINISHED]


def _count(connection: Connection, chosen: Sequence[ColumnElement[bool]]) -> _Tables:
    """Return the tables of the finished pairs that fit."""
    sums = [(func.max if name.endswith("_max_us") else func.sum)(Pair[name]) for name in PAIR_SUMS]
    query = select(*_KEY, *_ENDS, func.count(), *sums).where(*chosen).group_by(*_KEY, *_ENDS)
    tables: _Tables = {}
    for row in connection.execute(query):
        division, board_class, a, b, *ends, count = row[: len(_KEY) + len(_ENDS) + 1]
        sums_of_sides = [int(value) for value in row[-len(PAIR_SUMS) :]]
        first, second = ends[:2]
        key = (division, board_class, min(a, b), max(a, b))
        table = tables.setdefault(key, _Table())
        seats = (0, 1) if a <= b else (1, 0)
        grid = (first, second) if a <= b else (second.mirrored, first.mirrored)
        table.counts[3 * grid[0].points2 + grid[1].points2] += count
        for seat, start in zip(seats, (0, len(_SIDE)), strict=True):
            _add_sums(table.sides[seat], sums_of_sides[start : start + len(_SIDE)])
        for result, termination in zip(ends[:2], ends[2:], strict=True):
            if termination.is_forfeit:
                failures = table.failures[seats[0] if result is Result.LOSS else seats[1]]
                failures[termination] = failures.get(termination, 0) + count
    return tables


def _add_sums(side: list[int], more: Iterable[int]) -> None:
    for place, value in enumerate(more):
        side[place] = max(side[place], value) if place == _MAX_US else side[place] + value


def _add(tables: _Tables, more: _Tables) -> None:
    """Add tables of other pairs."""
    for key, table in more.items():
        known = tables.setdefault(key, _Table())
        known.counts = [one + other for one, other in zip(known.counts, table.counts, strict=True)]
        for seat in (0, 1):
            _add_sums(known.sides[seat], table.sides[seat])
            for kind, games in table.failures[seat].items():
                known.failures[seat][kind] = known.failures[seat].get(kind, 0) + games


def _to_rows(tables: _Tables, names: dict[int, str]) -> list[PairTableRow]:
    return [
        PairTableRow(
            division_id=division,
            board_class=board_class,
            a_revision=a,
            b_revision=b,
            a_name=names[a],
            b_name=names[b],
            counts=tuple(table.counts),
            a=SideTotals(*table.sides[0], failures=dict(table.failures[0])),
            b=SideTotals(*table.sides[1], failures=dict(table.failures[1])),
        )
        for (division, board_class, a, b), table in sorted(tables.items())
    ]
