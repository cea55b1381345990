"""The statements of the hot path, compiled once per database.

SQLAlchemy compiles them from the models; then the driver runs them directly. Running them through
SQLAlchemy took as long as everything else in storing a pair, including the wait for the disk.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Connection,
    Integer,
    Select,
    bindparam,
    case,
    exists,
    insert,
    select,
    update,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.selectable import Exists, SelectBase

from db.derived.pair_sums import (
    FORFEIT_KEY,
    MAXIMA,
    TABLE_KEY,
    TABLE_SUMS,
)
from db.models import (
    Base,
    ForfeitCount,
    Game,
    Pair,
    PairTable,
    Rating,
    Run,
)

PAIR_VALUES = (
    *("run_id", "stream", "number", "a_revision_id", "b_revision_id"),
    *("board", "board_class", "opening", "seed", "status", "aborts"),
)
"""Columns of a new pair."""


PendingRows = Callable[[], list[Any]]
"""Returns the rows of a statement that was sent; may wait for the server."""


def _no_rows() -> list[Any]:
    return []


class Prepared:
    """A compiled statement."""

    __slots__ = ("_names", "_returns_rows", "_text")

    def __init__(self, statement: UpdateBase | SelectBase, dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        if not isinstance(compiled, SQLCompiler):
            raise TypeError(f"not a statement with parameters: {statement}")
        self._text = compiled.string
        self._returns_rows = isinstance(statement, SelectBase) or bool(compiled.effective_returning)
        self._names: tuple[str, ...] | None = None
        if dialect.name == "sqlite":
            self._names = tuple(compiled.positiontup or ())

    def run(self, connection: Connection, values: Mapping[str, Any]) -> list[Any]:
        """Execute, and return all rows.

        Args:
            connection: in a transaction.
            values: by parameter; of types that the driver knows, so no enums.

        """
        return self.send(connection, values)()

    def send(self, connection: Connection, values: Mapping[str, Any]) -> PendingRows:
        """Send to the driver; return a function that returns all rows, to be called at most once.

        In pipeline mode only that function waits for the server.
        """
        driver: Any = connection.connection.dbapi_connection
        if self._names is not None:
            # SQLite cannot commit while a statement has unfetched rows.
            rows = driver.execute(self._text, [values[name] for name in self._names]).fetchall()
            return lambda: rows
        cursor = driver.execute(self._text, values)
        return cursor.fetchall if self._returns_rows else _no_rows

    def run_many(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Execute once for each mapping of values, without fetching rows."""
        if self._names is not None:
            driver: Any = connection.connection.dbapi_connection
            driver.executemany(self._text, [[row[name] for name in self._names] for row in rows])
        else:
            connection.exec_driver_sql(self._text, [dict(row) for row in rows])


def bound(names: Iterable[str]) -> dict[str, Any]:
    """Return a parameter of the same name for each column, as values of an INSERT."""
    return {name: bindparam(name) for name in names}


class Statements:
    """The compiled statements of one open database, with the parameters of each."""

    def __init__(self, dialect: Dialect) -> None:
        self.insert_pair = Prepared(insert(Pair).values(bound(PAIR_VALUES)), dialect)
        """PAIR_VALUES"""
        self.planned_since = Prepared(
            select(Pair.id)
            .where(Pair.stream == bindparam("stream"), Pair.number >= bindparam("start"))
            .order_by(Pair.number),
            dialect,
        )
        """stream, start -> id, by number"""
        self.read_pair = Prepared(_select_pair(), dialect)
        """pair, number, a, b, board_of_both, line0, line1, moves0, moves1

        -> status, run_id, division_id, rated, whether the division holds line 0, and line 1, elo
        and games of A, elo and games of B (nulls without a rating).
        """
        self.mark_finished = Prepared(
            update(Pair)
            .where(Pair.id == bindparam("pair"))
            .values(
                status=bindparam("new"),
                aborts=Pair.aborts + bindparam("new_aborts", type_=Integer),
                finished_at=bindparam("now"),
            ),
            dialect,
        )
        """pair, new, new_aborts, now"""
        self.add_to_table = Prepared(
            _upsert_sums(dialect, PairTable, TABLE_KEY, TABLE_SUMS), dialect
        )
        """TABLE_KEY, TABLE_SUMS"""
        self.add_forfeits = Prepared(
            _upsert_sums(dialect, ForfeitCount, FORFEIT_KEY, ("games",)), dialect
        )
        """FORFEIT_KEY, games"""
        self.write_rating = Prepared(_upsert_rating(dialect), dialect)
        """division_id, revision_id, elo, games"""


def _select_pair() -> Select[Any]:
    """Select all that storing a pair needs, in one query: each costs a round trip."""
    a, b = Rating.__table__.alias("a"), Rating.__table__.alias("b")
    return (
        select(
            Pair.status,
            Pair.run_id,
            Run.division_id,
            Run.rated,
            _is_line_stored(0),
            _is_line_stored(1),
            *(rating.c[name] for rating in (a, b) for name in ("elo", "games")),
        )
        .select_from(Pair)
        .join(Run, Run.id == Pair.run_id)
        .outerjoin(a, (a.c.division_id == Run.division_id) & (a.c.revision_id == bindparam("a")))
        .outerjoin(b, (b.c.division_id == Run.division_id) & (b.c.revision_id == bindparam("b")))
        .where(Pair.id == bindparam("pair"), Pair.number == bindparam("number"))
    )


def _is_line_stored(which: int) -> Exists:
    return exists().where(
        Game.line_hash == bindparam(f"line{which}"),
        Game.division_id == Run.division_id,
        Game.board == bindparam("board_of_both"),
        Game.moves == bindparam(f"moves{which}"),
    )


def _upsert(dialect: Dialect, model: type[Base], names: tuple[str, ...]) -> Any:
    # The two dialects share the clause but no class of SQLAlchemy for it, hence Any.
    build: Any = sqlite.insert
    if dialect.name != "sqlite":
        from sqlalchemy.dialects import postgresql  # takes 20 ms to load

        build = postgresql.insert
    return build(model).values(bound(names))


def _upsert_sums(
    dialect: Dialect, model: type[Base], key: tuple[str, ...], sums: tuple[str, ...]
) -> Any:
    statement = _upsert(dialect, model, (*key, *sums))
    stored = model.__table__.c
    updates: dict[str, ColumnElement[Any]] = {}
    for name in sums:
        fresh = statement.excluded[name]
        if name in MAXIMA:
            updates[name] = case((stored[name] > fresh, stored[name]), else_=fresh)
        else:
            updates[name] = stored[name] + fresh
    return statement.on_conflict_do_update(index_elements=list(key), set_=updates)


def _upsert_rating(dialect: Dialect) -> Any:
    key = ("division_id", "revision_id")
    statement = _upsert(dialect, Rating, (*key, "elo", "games"))
    return statement.on_conflict_do_update(
        index_elements=list(key),
        set_={name: statement.excluded[name] for name in ("elo", "games")},
    )
