"""The statements of the hot path, compiled once for a database's dialect.

SQLAlchemy builds them from the models, so that they follow the tables and the dialect. On SQLite
the driver runs them directly: going through SQLAlchemy's results took as long again as all the
rest of storing a pair, the wait for the disk included.
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
    KEY,
    MAXIMA,
    SUMS,
)
from db.models import (
    Base,
    ForfeitCount,
    Game,
    Pair,
    PairMachine,
    PairTable,
    Rating,
    Run,
)

PAIR_VALUES = (
    *("run_id", "stream", "number", "a_revision_id", "b_revision_id"),
    *("board", "board_class", "opening", "seed", "status", "aborts"),
)
"""The columns that a new pair needs a value for."""


Answer = Callable[[], list[Any]]
"""Gives the rows of a statement, for which it may have to wait."""


def _nothing() -> list[Any]:
    return []


class Prepared:
    """One statement for one dialect; all its parameters are bound at each run."""

    __slots__ = ("_answers", "_names", "_text")

    def __init__(self, statement: UpdateBase | SelectBase, dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        if not isinstance(compiled, SQLCompiler):
            raise TypeError(f"not a statement with parameters: {statement}")
        self._text = compiled.string
        self._answers = isinstance(statement, SelectBase) or bool(compiled.effective_returning)
        self._names: tuple[str, ...] | None = None
        if dialect.name == "sqlite":
            self._names = tuple(compiled.positiontup or ())

    def run(self, connection: Connection, values: Mapping[str, Any]) -> list[Any]:
        """Execute with values by parameter name, and fetch all rows.

        The values must be of types that the driver itself knows: no enums.
        """
        return self.ask(connection, values)()

    def ask(self, connection: Connection, values: Mapping[str, Any]) -> Answer:
        """Execute; all rows are what the answer gives when it is called, once.

        A server in pipeline mode is not waited for until then.
        """
        driver: Any = connection.connection.dbapi_connection
        if self._names is not None:
            # A statement of SQLite whose rows are not fetched is not over, and stops a commit.
            found = driver.execute(self._text, [values[name] for name in self._names]).fetchall()
            return lambda: found
        cursor = driver.execute(self._text, values)
        return cursor.fetchall if self._answers else _nothing

    def run_many(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Execute for each of some mappings of values, as `run` does; fetches nothing."""
        if self._names is not None:
            driver: Any = connection.connection.dbapi_connection
            driver.executemany(self._text, [[row[name] for name in self._names] for row in rows])
        else:
            connection.exec_driver_sql(self._text, [dict(row) for row in rows])


def bound(names: Iterable[str]) -> dict[str, Any]:
    """Return a parameter of its own name for each column, as the values of an INSERT."""
    return {name: bindparam(name) for name in names}


class Statements:
    """One instance per open database."""

    def __init__(self, dialect: Dialect) -> None:
        self.insert_pair = Prepared(insert(Pair).values(bound(PAIR_VALUES)), dialect)
        """PAIR_VALUES"""
        self.planned_since = Prepared(
            select(Pair.id)
            .where(Pair.stream == bindparam("stream"), Pair.number >= bindparam("start"))
            .order_by(Pair.number),
            dialect,
        )
        """stream, start -> id, in the order of their numbers"""
        self.read_pair = Prepared(_reading_pair(), dialect)
        """pair, place, a, b, board_of_both; line and moves of both games (0 or 1 behind each)

        -> status, run_id, division_id, rated; whether each game's line is stored in the division;
        elo and games of A, elo and games of B, or nulls.
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
        self.insert_machine = Prepared(
            insert(PairMachine).values(bound(("pair_id", "machine_id"))), dialect
        )
        """pair_id, machine_id"""
        self.add_to_table = Prepared(_adding(dialect, PairTable, KEY, SUMS), dialect)
        """KEY and SUMS."""
        self.add_forfeits = Prepared(
            _adding(dialect, ForfeitCount, FORFEIT_KEY, ("games",)), dialect
        )
        """FORFEIT_KEY and games"""
        self.write_rating = Prepared(_replacing_rating(dialect), dialect)
        """division_id, revision_id, elo, games"""


def _reading_pair() -> Select[Any]:
    """All that storing a pair has to know, in one question: each costs a way to the server."""
    a, b = Rating.__table__.alias("a"), Rating.__table__.alias("b")
    return (
        select(
            Pair.status,
            Pair.run_id,
            Run.division_id,
            Run.rated,
            _line_stored(0),
            _line_stored(1),
            *(rating.c[name] for rating in (a, b) for name in ("elo", "games")),
        )
        .select_from(Pair)
        .join(Run, Run.id == Pair.run_id)
        .outerjoin(a, (a.c.division_id == Run.division_id) & (a.c.revision_id == bindparam("a")))
        .outerjoin(b, (b.c.division_id == Run.division_id) & (b.c.revision_id == bindparam("b")))
        .where(Pair.id == bindparam("pair"), Pair.number == bindparam("place"))
    )


def _line_stored(which: int) -> Exists:
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
        from sqlalchemy.dialects import postgresql  # takes 20 ms that SQLite need not pay

        build = postgresql.insert
    return build(model).values(bound(names))


def _adding(
    dialect: Dialect, model: type[Base], key: tuple[str, ...], sums: tuple[str, ...]
) -> Any:
    statement = _upsert(dialect, model, (*key, *sums))
    stored = model.__table__.c
    moved: dict[str, ColumnElement[Any]] = {}
    for name in sums:
        fresh = statement.excluded[name]
        if name in MAXIMA:
            moved[name] = case((stored[name] > fresh, stored[name]), else_=fresh)
        else:
            moved[name] = stored[name] + fresh
    return statement.on_conflict_do_update(index_elements=list(key), set_=moved)


def _replacing_rating(dialect: Dialect) -> Any:
    key = ("division_id", "revision_id")
    statement = _upsert(dialect, Rating, (*key, "elo", "games"))
    return statement.on_conflict_do_update(
        index_elements=list(key),
        set_={name: statement.excluded[name] for name in ("elo", "games")},
    )
