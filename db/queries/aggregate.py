"""Counts and sums of finished pairs, grouped by an index: what rating lists are computed from.

An open store reads the tables of a division or a run once; its later calls add the pairs that were
finished since.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar, cast

from sqlalchemy import ColumnElement, Connection, and_, exists, func, select

from db.database import Database, Queries
from db.models import RUNS, Game, Pair, Run
from db.queries.bots import read_bot_names
from db.queries.games import is_of_run
from db.records.aggregate import HistorySlice, PairTableRow, SideTotals
from db.records.measures import SUMS
from db.records.pairs import forfeits_of
from db.records.record import Record
from engine.result import Result

T = TypeVar("T")
TableKey = tuple[int, str, int, int]
"""Division, board class, A's and B's revision; A's is not the greater one."""

_FINISHED = Pair.second_result.is_not(None)
_KEY = (Pair.division_id, Pair.board_class, Pair.a_revision_id, Pair.b_revision_id)
_ENDS = (Pair.first_result, Pair.second_result, Pair.first_termination, Pair.second_termination)
KEPT = 64
"""What an open store remembers; the longest unused is forgotten."""
ROWS_AT_MOST = 20_000
"""Pairs of a run that are looked up as rows."""


@dataclass(slots=True)
class _Table:
    """Record and sums of the pairs of one key."""

    record: Record = Record()  # noqa: RUF009 - it is frozen
    sides: tuple[list[int], list[int]] = field(
        default_factory=lambda: ([0] * len(SUMS), [0] * len(SUMS))
    )
    """The values of `SUMS` for A and B."""
    failures: tuple[Counter[str], Counter[str]] = field(
        default_factory=lambda: (Counter(), Counter())
    )

    def add_results(self, first: Result, second: Result, count: int, *, is_swapped: bool) -> None:
        """Add pairs with equal results of the bot that moved first in game 0."""
        pairs = Record.of_pair(first, second) * count
        self.record += pairs.mirrored if is_swapped else pairs


_Tables = dict[TableKey, _Table]


class _Marks(NamedTuple):
    """The state of the database when something was read."""

    last_game: int
    """Greatest id of a game; a pair's games are stored together, in ascending order."""
    runs: frozenset[int]
    """Ids of all runs; no later run gets that of a deleted one."""

    def is_before(self, now: "_Marks") -> bool:
        """Return whether only games have been added since."""
        return self.runs <= now.runs and self.last_game <= now.last_game


class Aggregate(Queries):
    """Counts of finished pairs."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._read: dict[Any, tuple[_Marks, Any]] = {}
        """What was read and when, by what selects it."""

    def _updated(self, connection: Connection, key: Any, read: Callable[[T | None, int], T]) -> T:
        """Return what a function reads of all games, or adds to what it read before.

        Args:
            connection: in a transaction.
            key: what selects the games.
            read: gets the former value, or None to begin, and the last game that it contains.

        """
        marks = _read_marks(connection)
        before, value = self._read.get(key, (None, None))
        if before is None or not before.is_before(marks):
            value = read(None, 0)
        elif before != marks:
            value = read(value, before.last_game)
        self._read.pop(key, None)
        self._read[key] = marks, value
        if len(self._read) > KEPT:
            del self._read[next(iter(self._read))]
        return cast("T", value)

    def count_games(self) -> dict[int, int]:
        """Return the number of rated games by division id, without zeros."""
        query = (
            select(Pair.division_id, func.count())
            .where(Pair.rated.is_(True), _FINISHED)
            .group_by(Pair.division_id)
        )
        return {division: 2 * count for division, count in self._rows(query)}

    def of_division(self, division_id: int, *, since: float | None = None) -> list[PairTableRow]:
        """Return the tables of a division's rated pairs.

        Args:
            division_id: the division.
            since: count only pairs of which both games started then or later, in epoch seconds.

        """
        return self._table_rows("division_id", division_id, since)

    def of_run(self, run_id: int, *, rows: int = ROWS_AT_MOST) -> list[PairTableRow]:
        """Return the tables of a run's pairs, rated or not; look up at most `rows` rows."""
        with self._database.reading() as connection:
            run = connection.execute(select(RUNS).where(Run.id == run_id)).first()
            pairs = select(func.count()).where(Pair.run_id == run_id)
            is_large = connection.execute(pairs).scalar_one() > rows
            is_whole = run is not None and run.rated and not _has_others(connection, run)
        among = None
        if run is not None and is_large:
            if is_whole:  # other pages have read these
                return self.of_division(run.division_id)
            # In the index of counts, where the pairs of the whole division are read: half a million
            # in 0.3 s. To look up as many rows takes 1.3 s. A range, so that SQLite does not choose
            # the index by run; PostgreSQL estimates it better than a sum, which takes 3 s.
            of_division = (Pair.division_id == run.division_id, Pair.rated.is_(run.rated))
            among = and_(Pair.run_id.between(run_id, run_id), *of_division)
        return self._table_rows("run_id", run_id, among=among)

    def _table_rows(
        self,
        column: str,
        value: int,
        since: float | None = None,
        among: ColumnElement[bool] | None = None,
    ) -> list[PairTableRow]:
        with self._database.reading() as connection:

            def read(tables: _Tables | None, last: int) -> _Tables:
                chosen = _chosen(column, value, since=since, last=last, among=among)
                return _count(connection, chosen, {} if tables is None else tables)

            tables = self._updated(connection, (column, value, since), read)
            return _to_rows(tables, read_bot_names(connection))

    def slices(
        self, division_id: int, *, since: float | None = None, slices: int = 50
    ) -> list[HistorySlice]:
        """Return a division's rated pairs in slices of the table, oldest first, none empty.

        The index of counts is read, in 0.6 s for half a million pairs; sums of moves are left out.

        Args:
            division_id: the division.
            since: leave out pairs that started before, in epoch seconds.
            slices: maximum number of slices.

        """
        chosen = _chosen("division_id", division_id, since=since)
        with self._database.reading() as connection:
            names = read_bot_names(connection)
            ends = select(func.min(Pair.id), func.max(Pair.id)).where(*chosen)
            low, high = connection.execute(ends).one()
            if low is None:
                return []
            number = ((Pair.id - low) * slices // (high - low + 1)).label("slice")
            by = (number, *_KEY, Pair.first_result, Pair.second_result)
            counts = (func.count(), func.min(Pair.started_at), func.max(Pair.started_at))
            query = select(*by, *counts).where(*chosen).group_by(*by).order_by(number)
            rows = connection.execute(query).all()
        found = []
        for _, part in groupby(rows, key=itemgetter(0)):
            tables: _Tables = {}
            moments = []
            for _, division, board_class, a, b, first, second, count, *times in part:
                table = tables.setdefault((division, board_class, min(a, b), max(a, b)), _Table())
                table.add_results(first, second, count, is_swapped=a > b)
                moments += times
            found.append(HistorySlice(min(moments), max(moments), _to_rows(tables, names)))
        return found

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
        division = tables[0].division_id
        listed = frozenset(each for row in tables for each in (row.a_revision, row.b_revision))
        key = ("games", run_id, division, listed, since)
        with self._database.reading() as connection:
            if run_id is None:
                players = (Game.first_revision_id, Game.second_revision_id)
                chosen = [Game.division_id == division, Game.rated.is_(True)]
                chosen += [player.in_(listed) for player in players]
            else:
                chosen = [is_of_run(run_id)]
            if since is not None:
                whole = select(Pair.id).where(Pair.started_at >= since)
                chosen += [Game.started_at >= since, Game.pair_id.in_(whole)]

            def read(former: int | None, last: int) -> int:
                lines = select(func.count(Game.line_hash.distinct())).where(*chosen)
                if former is None:
                    return connection.execute(lines).scalar_one()
                fresh = select(Game.line_hash).where(*chosen, Game.id > last)
                added = connection.execute(lines.where(Game.id > last)).scalar_one()
                known = lines.where(Game.id <= last, Game.line_hash.in_(fresh))
                return former + added - connection.execute(known).scalar_one()

            return self._updated(connection, key, read)

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
        column, value = ("run_id", run_id) if run_id else ("division_id", tables[0].division_id)
        with self._database.reading() as connection:

            def read(
                former: dict[TableKey, set[int]] | None, last: int
            ) -> dict[TableKey, set[int]]:
                contents = defaultdict(set) if former is None else former
                chosen = _chosen(column, value, since=since, last=last)
                query = select(*_KEY, Pair.content).where(*chosen).distinct()
                for division, board_class, one, other, content in connection.execute(query).all():
                    key = (division, board_class, min(one, other), max(one, other))
                    contents[key].add(content)
                return contents

            contents = self._updated(connection, ("pairs", column, value, since), read)
        keys = [
            (row.division_id, row.board_class, row.a_revision, row.b_revision) for row in tables
        ]
        return [
            replace(row, record=replace(row.record, distinct=len(contents[key])))
            if key in contents
            else row
            for row, key in zip(tables, keys, strict=True)
        ]


def _read_marks(connection: Connection) -> _Marks:
    newest = connection.execute(select(func.coalesce(func.max(Game.id), 0))).scalar_one()
    return _Marks(newest, frozenset(connection.execute(select(Run.id)).scalars()))


def _has_others(connection: Connection, run: Any) -> bool:
    """Return whether the division of a rated run has pairs of other rated runs."""
    others = (Run.division_id == run.division_id, Run.rated.is_(True), Run.id != run.id)
    query = select(Run.id).where(*others, exists().where(Pair.run_id == Run.id)).limit(1)
    return connection.execute(query).first() is not None


def _chosen(
    column: str,
    value: int,
    *,
    since: float | None = None,
    last: int = 0,
    among: ColumnElement[bool] | None = None,
) -> list[ColumnElement[bool]]:
    """Select the finished rated pairs of a division, or the finished pairs of a run.

    Args:
        column: ``division_id`` or ``run_id``.
        value: the division or run.
        since: leave out pairs that started before, in epoch seconds.
        last: leave out pairs up to this game.
        among: the condition on the column in another form.

    """
    chosen: list[ColumnElement[bool]] = [_FINISHED]
    if column != "run_id":
        chosen.append(Pair.rated.is_(True))
    if since is not None:
        chosen.append(Pair.started_at >= since)
    if last:
        # With the sum, the planner looks up the few pairs instead of reading the whole index.
        few = Pair.id.in_(select(Game.pair_id).where(Game.id > last))
        return [few, Pair[column] + 0 == value, *chosen]
    return [Pair[column] == value if among is None else among, *chosen]


def _count(
    connection: Connection, chosen: Sequence[ColumnElement[bool]], tables: _Tables
) -> _Tables:
    """Add the finished pairs that fit to tables; return these."""
    sums = [each.sql(Pair, side).label(None) for side in "ab" for each in SUMS]
    query = select(*_KEY, *_ENDS, func.count(), *sums).where(*chosen).group_by(*_KEY, *_ENDS)
    for row in connection.execute(query).all():
        division, board_class, a, b, *ends, count = row[: -len(sums)]
        values = [int(value) for value in row[-len(sums) :]]
        first, second = ends[:2]
        table = tables.setdefault((division, board_class, min(a, b), max(a, b)), _Table())
        seats = (0, 1) if a <= b else (1, 0)
        table.add_results(first, second, count, is_swapped=a > b)
        for seat, own in zip(seats, (values[: len(SUMS)], values[len(SUMS) :]), strict=True):
            side = table.sides[seat]
            for place, each in enumerate(SUMS):
                side[place] = each.fold(side[place], own[place])
        for forfeit in forfeits_of((ends[0], ends[1]), (ends[2], ends[3])):
            table.failures[seats[forfeit.side]][forfeit.termination] += count
    return tables


def _to_rows(tables: _Tables, names: dict[int, str]) -> list[PairTableRow]:
    return [
        PairTableRow(
            division_id=division,
            board_class=board_class,
            a_revision=a,
            b_revision=b,
            a_name=names[a],
            b_name=names[b],
            record=table.record,
            a=_totals(table, 0),
            b=_totals(table, 1),
        )
        for (division, board_class, a, b), table in sorted(tables.items())
    ]


def _totals(table: _Table, seat: int) -> SideTotals:
    return SideTotals(dict(zip(SUMS, table.sides[seat], strict=True)), dict(table.failures[seat]))
