"""The statements of the hot path, compiled once for a database's dialect.

SQLAlchemy builds them from the models, so that they follow the tables and the dialect. On SQLite
the driver runs them directly: going through SQLAlchemy's results took as long again as all the
rest of storing a pair, the wait for the disk included.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Integer, bindparam, case, exists, insert, or_, select, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.selectable import Exists, SelectBase

from db.derived.pair_sums import (
    KEY,
    MAXIMA,
    SUMS,
)
from db.models import Base, Game, LastWords, Pair, PairMachine, PairTable, Rating, Run

GAME_VALUES = tuple(column.name for column in Game.__table__.columns if column.name != "id")
"""The columns that a new game needs a value for."""


PAIR_VALUES = (
    *("run_id", "stream", "number", "a_revision_id", "b_revision_id"),
    *("board", "board_class", "opening", "seed", "status", "aborts"),
)
"""The columns that a new pair needs a value for."""


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
        cursor = self.ask(connection, values)
        rows: list[Any] = cursor.fetchall() if self._answers else []
        return rows

    def ask(self, connection: Connection, values: Mapping[str, Any]) -> Any:
        """Execute, and leave the rows to `fetchall` of the driver's cursor that is returned.

        A server in pipeline mode is not waited for until then.
        """
        driver: Any = connection.connection.dbapi_connection
        if self._names is not None:
            return driver.execute(self._text, [values[name] for name in self._names])
        return driver.execute(self._text, values)

    def run_many(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Execute for each of some mappings of values, as `run` does; fetches nothing."""
        if self._names is not None:
            driver: Any = connection.connection.dbapi_connection
            driver.executemany(self._text, [[row[name] for name in self._names] for row in rows])
        else:
            connection.exec_driver_sql(self._text, [dict(row) for row in rows])


class Statements:
    """One instance per open database."""

    def __init__(self, dialect: Dialect) -> None:
        self.insert_pair = Prepared(
            insert(Pair).values({name: bindparam(name) for name in PAIR_VALUES}), dialect
        )
        """PAIR_VALUES"""
        self.planned_since = Prepared(
            select(Pair.id)
            .where(Pair.stream == bindparam("stream"), Pair.number >= bindparam("start"))
            .order_by(Pair.number),
            dialect,
        )
        """stream, start -> id, in the order of their numbers"""
        self.facts_of_run = Prepared(
            select(Run.division_id, Run.rated).where(Run.id == bindparam("run")), dialect
        )
        """run -> division_id, rated"""
        self.status_of_pair = Prepared(
            select(Pair.status).where(
                Pair.id == bindparam("pair"), Pair.number == bindparam("place")
            ),
            dialect,
        )
        """pair, place -> status"""
        self.mark_finished = Prepared(
            update(Pair)
            .where(
                Pair.id == bindparam("pair"),
                Pair.number == bindparam("place"),
                Pair.status == bindparam("old"),
            )
            .values(
                status=bindparam("new"),
                aborts=Pair.aborts + bindparam("new_aborts", type_=Integer),
                finished_at=bindparam("now"),
            )
            .returning(Pair.run_id),
            dialect,
        )
        """pair, place, old, new, new_aborts, now -> run_id, or no row when it is not `old`."""
        self.find_lines = Prepared(select(_line_stored(0), _line_stored(1)), dialect)
        """For both games hash, division, board, moves (0 or 1 behind each) -> stored already?"""
        self.insert_game = Prepared(
            insert(Game).values({name: bindparam(name) for name in GAME_VALUES}).returning(Game.id),
            dialect,
        )
        """GAME_VALUES -> id"""
        self.insert_last_words = Prepared(
            insert(LastWords).values(
                {name: bindparam(name) for name in ("game_id", "stderr", "messages")}
            ),
            dialect,
        )
        """game_id, stderr, messages"""
        self.insert_machine = Prepared(
            insert(PairMachine).values(
                {name: bindparam(name) for name in ("pair_id", "machine_id")}
            ),
            dialect,
        )
        """pair_id, machine_id"""
        self.add_to_table = Prepared(_adding(dialect), dialect)
        """KEY and SUMS."""
        self.read_ratings = Prepared(
            select(Rating.revision_id, Rating.elo, Rating.games).where(
                Rating.division_id == bindparam("division"),
                or_(Rating.revision_id == bindparam("a"), Rating.revision_id == bindparam("b")),
            ),
            dialect,
        )
        """division, a, b -> revision_id, elo, games"""
        self.write_rating = Prepared(_replacing_rating(dialect), dialect)
        """division_id, revision_id, elo, games"""


def _line_stored(which: int) -> Exists:
    return exists().where(
        Game.line_hash == bindparam(f"hash{which}"),
        Game.division_id == bindparam(f"division{which}"),
        Game.board == bindparam(f"board{which}"),
        Game.moves == bindparam(f"moves{which}"),
    )


def _upsert(dialect: Dialect, model: type[Base], names: tuple[str, ...]) -> Any:
    # The two dialects share the clause but no class of SQLAlchemy for it, hence Any.
    build: Any = sqlite.insert
    if dialect.name != "sqlite":
        from sqlalchemy.dialects import postgresql  # takes 20 ms that SQLite need not pay

        build = postgresql.insert
    return build(model).values({name: bindparam(name) for name in names})


def _adding(dialect: Dialect) -> Any:
    statement = _upsert(dialect, PairTable, (*KEY, *SUMS))
    stored = PairTable.__table__.c
    moved: dict[str, ColumnElement[Any]] = {}
    for name in SUMS:
        fresh = statement.excluded[name]
        if name in MAXIMA:
            moved[name] = case((stored[name] > fresh, stored[name]), else_=fresh)
        else:
            moved[name] = stored[name] + fresh
    return statement.on_conflict_do_update(index_elements=list(KEY), set_=moved)


def _replacing_rating(dialect: Dialect) -> Any:
    key = ("division_id", "revision_id")
    statement = _upsert(dialect, Rating, (*key, "elo", "games"))
    return statement.on_conflict_do_update(
        index_elements=list(key),
        set_={name: statement.excluded[name] for name in ("elo", "games")},
    )
