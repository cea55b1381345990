"""PostgreSQL: a database of a server, shared by processes of many machines.

A transaction that writes takes one advisory lock first, so that there is one writer at a time, as
with SQLite: what it has read stays true until its commit. Transactions that read see one state.
Both sides of a connection notice within half a minute that the other is gone, and the server ends
a transaction that writes when its client is silent for as long, so that the locks of a machine that
lost its power or sleeps are free soon.
"""

import logging
import statistics
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from sqlalchemy import Connection, Dialect, Engine, Table, create_engine, event, text
from sqlalchemy.exc import DBAPIError, NoSuchModuleError
from sqlalchemy.pool import NullPool
from sqlalchemy.schema import CreateTable

from db.backends.backend import Backend, Connections, Token
from db.backends.place import Place
from db.backends.run_lock import RunLock
from db.backends.session_run_lock import (
    SessionRunLock,
    holder_of,
    live_runs,
    lock_run,
)
from db.backends.sessions import WRITER_LOCK, end_session, find_blocker, own_name
from db.backends.sqlstate import CHANGED_PLAN, sentence_of
from db.errors import DatabaseError, InUse, NotALadderDatabase, Unwritable
from db.models import Base
from db.records.server import SETTINGS, ServerState

OLDEST = 14
"""The oldest version of PostgreSQL that its makers still looked after in 2026."""
SILENCE = 3
"""How many times the wait for a lock a transaction that writes may send nothing to the server."""
_LOCK = f"SELECT pg_advisory_xact_lock({WRITER_LOCK})"
_NOW = "extract(epoch FROM clock_timestamp())"
_NOTE_COMMIT = (
    f"INSERT INTO last_commits VALUES (%(writer)s, %(number)s, {_NOW}) ON CONFLICT (writer) "  # noqa: S608
    "DO UPDATE SET number = excluded.number, committed_at = excluded.committed_at"
)
_FORGET_COMMITS = f"DELETE FROM last_commits WHERE committed_at < {_NOW} - 2592000"  # noqa: S608
_LAST_COMMIT = text("SELECT number FROM last_commits WHERE writer = :writer")
ROUNDS = 9
"""How often the server is asked for its time."""
_TIME = f"SELECT {_NOW}"
_TABLES = "SELECT version_num FROM alembic_version"
_ABOUT = (
    "SELECT current_setting('server_version'), current_user, "
    "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' "
    "OR usename IS NOT NULL), current_setting('max_connections')::int"
)
_SETTINGS = text("SELECT name, setting FROM pg_settings WHERE name = ANY(:names)")
_OWNER = text(
    "SELECT tableowner, pg_has_role(tableowner, 'MEMBER') FROM pg_tables "
    "WHERE tablename = 'games' AND schemaname = ANY(current_schemas(false))"
)
_BECOME = text("SELECT set_config('role', :owner, true)")
_TAKE_UP = text(
    "SELECT pg_backend_pid(), set_config('idle_in_transaction_session_timeout', :silence, false)"
)
GHOST_S = 10.0
"""Seconds for which the server may take to end a session whose connection was lost."""
_KEEPALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
"""After 10 s of silence each side asks every 5 s whether the other is there, three times."""


class PostgresqlBackend(Backend):
    """A database of a PostgreSQL server."""

    reading_options: Mapping[str, Any] = {
        "isolation_level": "REPEATABLE READ",
        "postgresql_readonly": True,
    }
    # The driver must not begin transactions on its own: it would wait for each to be begun.
    writing_options: Mapping[str, Any] = {"isolation_level": "AUTOCOMMIT"}
    migrates_when_opened = False  # others use it, perhaps with the program that it was made by
    migration_advice = "`ladder doctor --migrate` brings it up to date"

    def __init__(self, place: Place, busy_s: float) -> None:
        super().__init__(place, busy_s)
        try:
            import psycopg
        except ImportError as error:
            raise _no_driver(place, error) from error
        self.driver_errors = (DBAPIError, psycopg.Error)
        # What it logs of a lost connection comes to us as an error, too.
        logging.getLogger("psycopg").addHandler(logging.NullHandler())

    def check_place(self, *, create: bool) -> None:
        """Nothing can be seen without a connection."""

    def make_engine(self) -> Engine:
        """An engine whose connections are set up as this module's introduction says."""
        given = self.place.url.query
        wanted = {
            "application_name": own_name(),
            "connect_timeout": 10,
            "tcp_user_timeout": 30_000,
            **_KEEPALIVE,
        }
        try:
            engine = create_engine(
                self.place.url,
                poolclass=NullPool,  # the store keeps its connections; closing frees the locks
                connect_args={key: value for key, value in wanted.items() if key not in given},
                use_native_hstore=False,
            )
        except (ImportError, NoSuchModuleError) as error:
            raise _no_driver(self.place, error) from error
        event.listen(engine, "connect", self._set_up)
        return engine

    def make_following_engine(self) -> Engine:
        """An engine like any other: transactions that read cannot write."""
        return self.make_engine()

    def _set_up(self, driver: Any, _record: object) -> None:
        settings = {f"tcp_{key}": value for key, value in _KEEPALIVE.items()}
        settings["lock_timeout"] = int(self.busy_s * 1000)
        driver.autocommit = True
        driver.execute(
            "SELECT " + ", ".join(f"set_config('{key}', %s, false)" for key in settings),
            [str(value) for value in settings.values()],
        )
        driver.autocommit = False

    def check_ours(self, connection: Connection) -> None:
        """Refuse old servers, other encodings and databases of other programs."""
        driver: Any = connection.connection.driver_connection
        version = driver.info.server_version // 10_000
        if version < OLDEST:
            raise DatabaseError(
                f"{self.place} is PostgreSQL {version}: this program needs {OLDEST} or later"
            )
        encoding = driver.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise DatabaseError(
                f"{self.place} keeps texts as {encoding}: make a database with "
                "`createdb --encoding UTF8 --template template0 NAME`"
            )
        tables = self.tables(connection)
        if tables and not tables >= _FIRST_TABLES:
            raise NotALadderDatabase(
                f"{self.place} holds tables of another program; choose another --db, or make a "
                "database with `createdb`"
            )

    def tables(self, connection: Connection) -> set[str]:
        """The names of all tables that are found without a schema's name."""
        found = connection.exec_driver_sql(
            "SELECT tablename FROM pg_catalog.pg_tables "
            "WHERE schemaname = ANY(current_schemas(false))"
        )
        return {name for (name,) in found}

    def is_writable(self, connection: Connection) -> bool:
        """Whether the server is no standby, and the user may store games."""
        return bool(
            connection.exec_driver_sql(
                "SELECT NOT pg_is_in_recovery() AND NOT "
                "current_setting('default_transaction_read_only')::boolean "
                "AND has_table_privilege('games', 'INSERT')"
            ).scalar_one()
        )

    def check_migration(self, connection: Connection, *, force: bool) -> None:
        """Refuse while runs are in play, and become the role that owns the tables."""
        runs = live_runs(connection)
        if runs and not force:
            played = ", ".join(f"run {run} by {who}" for run, who in sorted(runs.items()))
            raise InUse(
                f"{self.place} is not migrated while runs are in play ({played}), which may fail "
                "then: stop them first, or add --force"
            )
        owner, is_member = connection.execute(_OWNER).one()
        if not is_member:
            raise Unwritable(
                f"{self.place} can be migrated only by the role {owner}, which owns its tables: "
                "connect as that role"
            )
        # New tables must belong to the same role, or others could not use them.
        connection.execute(_BECOME, {"owner": owner})

    def stand_in_for_missing_tables(
        self, connection: Connection, queries: Mapping[str, str]
    ) -> None:
        """Make temporary tables without foreign keys, which must not point at others."""
        there = self.tables(connection)
        connection.rollback()
        driver: Any = connection.connection.driver_connection
        driver.autocommit = True
        for table in Base.metadata.sorted_tables:
            if table.name not in there:
                if (rows := queries.get(table.name)) is None:
                    made = CreateTable(table, include_foreign_key_constraints=())
                    statement = str(made.compile(connection))
                else:
                    driver.execute(_function(table, rows, connection.dialect))
                    statement = f"CREATE VIEW {table.name} AS SELECT * FROM pg_temp.{table.name}()"  # noqa: S608
                driver.execute(statement.replace("CREATE", "CREATE TEMPORARY", 1))
        driver.autocommit = False

    def mark_as_ours(self, connection: Connection) -> None:
        """Nothing: the tables are the mark."""

    def keep_copy(self, version: str) -> None:
        """Nothing: a migration is one transaction, and copies are `pg_dump`'s."""

    def migrating(self, writer: Connection) -> AbstractContextManager[object]:
        """Do nothing: tables are altered in place."""
        return nullcontext()

    def settle(self, connection: Connection) -> None:
        """Nothing: what a connection needs is set at its beginning."""

    def take_up(self, writer: Connection, former: int | None, held: set[int]) -> int:
        """End the lost session, which may still hold its locks, and take them; the new one's id."""
        with writer.begin():
            if former is not None:
                self._end(writer, former)
            for run_id in held:
                if not lock_run(writer, run_id):
                    raise InUse(
                        f"run {run_id} is being played by {holder_of(writer, run_id)} now: this "
                        f"command had lost its connection to {self.place}"
                    )
            limit = {"silence": f"{1000 * self._silence_s:.0f}"}
            return int(writer.execute(_TAKE_UP, limit).scalar_one())

    @property
    def _silence_s(self) -> float:
        return SILENCE * self.busy_s

    def name_blocker(self, connection: Connection) -> str | None:
        """Name the session that others wait for; end a writer that has fallen silent.

        The server cannot end one that is silent between the statements of a pipeline: it counts as
        active.
        """
        blocker = find_blocker(connection)
        if blocker is None:
            return None
        is_silent = blocker.writes and blocker.silent_s >= self._silence_s
        is_ended = is_silent and end_session(connection, blocker.pid)
        return f"{blocker}{' and now ended' if is_ended else ''}"

    def _end(self, connection: Connection, session: int) -> None:
        """End a session of this process, and wait until it is gone."""
        ours = text(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid = :session "
            "AND application_name = current_setting('application_name') "
            "AND usename = current_user AND datname = current_database()"
        )
        deadline = time.monotonic() + GHOST_S
        while connection.execute(ours, {"session": session}).scalar_one():
            if time.monotonic() >= deadline:
                break
            time.sleep(0.02)

    def begin_writing(self, connection: Connection, token: Token | None) -> None:
        """Begin a transaction, wait for the writers' lock and store the token."""
        driver: Any = connection.connection.driver_connection
        # Each statement sees what was committed before it: the first one waits for the lock.
        driver.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
        driver.execute(_LOCK)
        if token is not None:
            driver.execute(_NOTE_COMMIT, token._asdict())
            if token.number == 1:
                driver.execute(_FORGET_COMMITS)

    def end_writing(self, connection: Connection) -> None:
        """Commit."""
        driver: Any = connection.connection.driver_connection
        driver.execute("COMMIT")

    def was_committed(self, connection: Connection, token: Token) -> bool:
        """Ask for the token; the session of the transaction has been ended.

        The server's own numbers of transactions do not do: after a crash it gives those that it had
        not yet written to its log to other transactions.
        """
        return connection.execute(_LAST_COMMIT, {"writer": token.writer}).scalar() == token.number

    def pipelined(self, connection: Connection) -> AbstractContextManager[object]:
        """The pipeline mode of the driver."""
        driver: Any = connection.connection.driver_connection
        pipeline: AbstractContextManager[object] = driver.pipeline()
        return pipeline

    def change_mark(self, connection: Connection) -> object:
        """Which transactions are over, of all databases of the server: an idle server has none."""
        return connection.exec_driver_sql("SELECT pg_current_snapshot()::text").scalar_one()

    def identity(self) -> object:
        """One and the same: a server keeps its databases apart."""
        return None

    def complaints(self, connection: Connection) -> list[str]:
        """Pages whose checksums failed, and indexes that are not valid."""
        failures = connection.exec_driver_sql(
            "SELECT checksum_failures FROM pg_stat_database WHERE datname = current_database()"
        ).scalar()
        invalid = connection.exec_driver_sql(
            "SELECT relname FROM pg_index JOIN pg_class ON oid = indexrelid "
            "WHERE NOT indisvalid AND pg_table_is_visible(oid) ORDER BY 1"
        ).scalars()
        told = [f"the index {name} is not valid: REINDEX it" for name in invalid]
        if failures:
            told.append(f"the checksums of {failures} pages have failed")
        return told

    def foreign_objects(self, connection: Connection) -> list[str]:
        """Triggers and rules on our tables."""
        found = connection.execute(
            text(
                "SELECT 'trigger ' || tgname || ' of ' || relname FROM pg_trigger "
                "JOIN pg_class ON pg_class.oid = tgrelid "
                "WHERE NOT tgisinternal AND pg_table_is_visible(tgrelid) AND relname = ANY(:ours) "
                "UNION ALL SELECT 'rule ' || rulename || ' of ' || tablename FROM pg_rules "
                "WHERE schemaname = ANY(current_schemas(false)) AND tablename = ANY(:ours) "
                "ORDER BY 1"
            ),
            {"ours": [table.name for table in Base.metadata.sorted_tables]},
        )
        return list(found.scalars())

    def server_state(self, connection: Connection, needed: str) -> ServerState:
        """Ask the server for what `ladder doctor` judges."""
        blocker = find_blocker(connection)
        waits, clocks = [], []
        for _ in range(ROUNDS):
            before = time.time()
            now = connection.exec_driver_sql(_TIME).scalar_one()
            after = time.time()
            waits.append(after - before)
            clocks.append((before + after) / 2 - float(now))
        version, user, sessions, limit = connection.exec_driver_sql(_ABOUT).one()
        owner, may_migrate = connection.execute(_OWNER).one()
        return ServerState(
            version=version,
            tables=connection.exec_driver_sql(_TABLES).scalar_one(),
            needed=needed,
            user=user,
            owner=owner,
            may_write=self.is_writable(connection),
            may_migrate=may_migrate,
            sessions=sessions,
            session_limit=limit,
            runs=live_runs(connection),
            blocker=None if blocker is None else str(blocker),
            blocker_s=0.0 if blocker is None else blocker.age_s,
            round_trip_s=statistics.median(waits),
            ahead_s=statistics.median(clocks),
            settings=dict(connection.execute(_SETTINGS, {"names": list(SETTINGS)}).all()),
        )

    def run_lock(self, connections: Connections) -> RunLock:
        """Advisory locks of the session that writes."""
        return SessionRunLock(connections)

    def translate(self, error: Exception) -> DatabaseError | None:
        """By the server's SQLSTATE, and for a connection that fails by its words."""
        reason = error.orig if isinstance(error, DBAPIError) else error
        if reason is None:
            return None
        state = getattr(reason, "sqlstate", None)
        source = getattr(getattr(reason, "diag", None), "source_function", None)
        if state == _NOT_SUPPORTED and source == _REPLANNING:
            state = CHANGED_PLAN
        kind, sentence = sentence_of(state, str(reason), reason)
        return None if kind is None else kind(f"{self.place} {sentence}")


_NOT_SUPPORTED = "0A000"
_REPLANNING = "RevalidateCachedQuery"
"""Where the server finds that the columns of a prepared statement have changed."""
_FIRST_TABLES = {"alembic_version", "bots", "games", "pairs", "runs"}
"""Tables that every version of this program has made."""


def _function(table: Table, rows: str, dialect: Dialect) -> str:
    """Return the definition of a temporary function that returns a query's rows as a table's.

    A view of the query itself would forbid a migration to drop the columns that it reads, as long
    as the reader is connected; a function's text forbids nothing.
    """
    types = {each.name: each.type.compile(dialect) for each in table.columns}
    returned = ", ".join(f"{name} {kind}" for name, kind in types.items())
    cast = ", ".join(f"old.{name}::{kind}" for name, kind in types.items())
    head = f"CREATE FUNCTION pg_temp.{table.name}() RETURNS TABLE ({returned}) LANGUAGE sql STABLE"
    return f"{head} AS $$ SELECT {cast} FROM ({rows}) AS old $$"  # noqa: S608


def _no_driver(place: Place, error: Exception) -> DatabaseError:
    return DatabaseError(
        f"{place.url.drivername} needs a driver that is not installed ({error}): "
        "pip install 'connect4-ladder[cluster]', and write postgresql+psycopg://..."
    )
