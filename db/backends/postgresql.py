"""PostgreSQL: a server's database, shared by processes of many machines.

A transaction that writes first takes one advisory lock. So there is one writer at a time, as with
SQLite, and what it has read stays true until its commit. One that reads sees one snapshot.

Each side of a connection notices within half a minute that the other is gone, and the server ends a
writing transaction whose client is silent for as long. A machine that lost its power or sleeps
therefore does not keep its locks for long.
"""

import logging
import sys
import time
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from db.backends.backend import BUSY, CONFLICT, Backend, Place
from db.backends.locks import (
    WRITER,
    Connections,
    HeldLock,
    LockKind,
    ProcessLocks,
    SessionLocks,
    find_live,
    make_session_name,
    take_lock,
)
from db.errors import (
    Busy,
    Conflict,
    Contended,
    Corrupt,
    DatabaseError,
    InUse,
    Missing,
    NotALadderDatabase,
    Unreachable,
    Unwritable,
)
from db.models import METADATA
from db.records.server import ServerState

_NO_ANSWER = "does not answer ({reason}); check that its server runs, and the URL with its sslmode"
_REFUSED = (
    "refuses this user ({reason}); check the user in the URL, and the password in PGPASSWORD or "
    "~/.pgpass"
)
_UNWRITABLE = "cannot be written ({reason}); check the server's free disk space"
_FORBIDDEN = (
    "does not allow this user to do that ({reason}); use another role, or have the owner of the "
    "database grant the right"
)
_DAMAGED = "is damaged ({reason}); restore a copy"
_MISSING = "does not exist ({reason}); create it with `createdb`, or correct the URL"

_ENDED = "has ended this session ({reason}); check what delayed this process"

_BY_STATE: dict[str, tuple[type[DatabaseError], str]] = {
    # Whole codes before their classes.
    "53100": (Unwritable, _UNWRITABLE),  # disk full
    "53300": (Unreachable, _NO_ANSWER),  # too many connections
    "40001": (Contended, "rolled a transaction back ({reason}); try again"),
    "40P01": (Contended, "rolled a transaction back ({reason}); try again"),
    "42501": (Unwritable, _FORBIDDEN),  # insufficient privilege
    "42P01": (Corrupt, _DAMAGED),  # undefined table
    "42703": (Corrupt, _DAMAGED),  # undefined column
    "25006": (Unwritable, _FORBIDDEN),  # a standby, or a user that only reads
    "55P03": (Busy, BUSY.format(who="another session")),
    "57014": (
        DatabaseError,
        "cancelled a statement ({reason}); try again, and raise statement_timeout if that is why",
    ),
    "25P03": (Unreachable, _ENDED),  # idle in a transaction
    "25P04": (Unreachable, _ENDED),  # a transaction that takes too long
    "22003": (DatabaseError, "cannot store so large a number ({reason})"),
    "23503": (Conflict, CONFLICT),  # foreign key
    "23505": (Conflict, CONFLICT),  # unique
    "3D000": (Missing, _MISSING),
    "08": (Unreachable, _NO_ANSWER),
    "57P": (Unreachable, _NO_ANSWER),  # shut down, starting, dropped
    "53": (Unwritable, _UNWRITABLE),
    "58": (Unwritable, _UNWRITABLE),  # errors of the server's system
    "28": (DatabaseError, _REFUSED),
    "XX": (Corrupt, _DAMAGED),
}
_BY_WORDS: tuple[tuple[tuple[str, ...], tuple[type[DatabaseError], str]], ...] = (
    (
        ("password", "authentication", "pg_hba.conf", "role ", "permission denied"),
        (DatabaseError, _REFUSED),
    ),
    (("does not exist",), (Missing, _MISSING)),
)
"""Words in the message of a refused connection.

Any other refusal is Unreachable and retried, since the server may be starting.
"""


def translate_sqlstate(
    state: str | None, message: str, error: BaseException
) -> tuple[type[DatabaseError], str] | None:
    """Return the class for an error, and its message to follow the database's name.

    Args:
        state: the SQLSTATE; None for a connection that failed.
        message: the text of the driver or server.
        error: the driver's error.

    Returns:
        None for an error that shows a bug in this program.

    """
    if state is None:
        known = _find_by_words(message, error)
    else:
        known = next((_BY_STATE[state[:n]] for n in (5, 3, 2) if state[:n] in _BY_STATE), None)
    return None if known is None else (known[0], known[1].format(reason=_reason(message)))


def _find_by_words(message: str, error: BaseException) -> tuple[type[DatabaseError], str] | None:
    """Return class and message for a connection that failed, by words in the driver's text."""
    if type(error).__name__ not in ("OperationalError", "InterfaceError"):
        return None
    reason = _reason(message)
    if ("FATAL" in message or "no password" in message) and "timeout" not in message:
        for words, known in _BY_WORDS:
            if any(word in reason for word in words):
                return known
    return Unreachable, _NO_ANSWER


def _reason(message: str) -> str:
    """Return the line of a message that gives the reason, without the address in the URL."""
    lines = [line.strip() for line in message.splitlines() if line.strip()] or ["no reason given"]
    line = next((line for line in lines if "FATAL:" in line), lines[0])
    line = line.removeprefix("connection failed: ")
    line = line.partition("fe_sendauth: ")[2] or line.partition("FATAL:")[2] or line
    return line.strip().rstrip(".")


OLDEST_VERSION = 14
"""The oldest version of PostgreSQL that was supported in 2026."""
SILENCE_FACTOR = 3
"""A writing transaction may be silent for this many times the wait for a lock."""
_LOCK = f"SELECT pg_advisory_xact_lock({WRITER}, 0)"
ROUND_TRIPS = 5
_STATE = text(
    "SELECT current_setting('server_version') AS version, current_user AS user, "
    "current_setting('fsync') = 'off' OR current_setting('full_page_writes') = 'off' "
    "OR current_setting('synchronous_commit') = 'off' AS is_unsafe"
)
_FIRST_TABLES = {"alembic_version", "bots", "games", "pairs", "runs"}
"""Tables that every version of this program creates."""
_ATTACH_WRITER = text(
    "SELECT pg_backend_pid(), set_config('idle_in_transaction_session_timeout', :silence, false)"
)
SESSION_END_S = 10.0
"""Seconds to wait until the server has ended a session whose connection was lost."""
_KEEPALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
"""After 10 s without traffic each side probes the other three times, every 5 s."""

for _table in METADATA.tables.values():
    for _index in _table.indexes:
        _index.dialect_kwargs["postgresql_where"] = _index.dialect_kwargs.get("sqlite_where")


class PostgresqlBackend(Backend):
    """A database on a PostgreSQL server."""

    reading_options: Mapping[str, Any] = {
        "isolation_level": "REPEATABLE READ",
        "postgresql_readonly": True,
    }
    # Statements see what was committed while the first one waited for the lock.
    writing_options: Mapping[str, Any] = {"isolation_level": "READ COMMITTED"}
    former_advice = "export its games with that version, and import them into a new database"

    def __init__(self, place: Place, busy_s: float) -> None:
        super().__init__(place, busy_s)
        try:
            import psycopg
        except ImportError as error:
            raise _no_driver(place, error) from error
        self.driver_errors = (DBAPIError, psycopg.Error)
        # A lost connection is raised as an error; do not log it, too.
        logging.getLogger("psycopg").addHandler(logging.NullHandler())

    def make_engine(self) -> Engine:
        """Create an engine with timeouts and keepalives on both sides of its connections."""
        given = self.place.url.query
        wanted = {
            "application_name": make_session_name(),
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

    def _set_up(self, driver: Any, _record: object) -> None:
        settings = {f"tcp_{key}": value for key, value in _KEEPALIVE.items()}
        settings["lock_timeout"] = int(self.busy_s * 1000)
        driver.autocommit = True
        driver.execute(
            "SELECT " + ", ".join(f"set_config('{key}', %s, false)" for key in settings),
            [str(value) for value in settings.values()],
        )
        driver.autocommit = False

    def check_database(self, connection: Connection) -> None:
        """Refuse old servers, encodings other than UTF-8, and databases of other programs."""
        driver: Any = connection.connection.driver_connection
        check_server_version(self.place, driver.info.server_version)
        encoding = driver.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise DatabaseError(
                f"{self.place} has the encoding {encoding}, not UTF8: create another database with "
                "`createdb --encoding UTF8 --template template0 NAME`"
            )
        tables = self.tables(connection)
        if tables and not tables >= _FIRST_TABLES:
            raise NotALadderDatabase(
                f"{self.place} holds tables of another program; choose another database, or create "
                "one with `createdb`"
            )

    def tables(self, connection: Connection) -> set[str]:
        """Return the names of all tables on the search path."""
        found = connection.exec_driver_sql(
            "SELECT tablename FROM pg_catalog.pg_tables "
            "WHERE schemaname = ANY(current_schemas(false))"
        )
        return {name for (name,) in found}

    def is_writable(self, connection: Connection) -> bool:
        """Return whether the server is not a standby and the user may insert games."""
        return bool(
            connection.exec_driver_sql(
                "SELECT NOT pg_is_in_recovery() AND NOT "
                "current_setting('default_transaction_read_only')::boolean "
                "AND has_table_privilege('games', 'INSERT')"
            ).scalar_one()
        )

    def attach_writer(
        self, writer: Connection, former: int | None, held_locks: set[HeldLock]
    ) -> int:
        """End the lost session, which may still hold its locks, and take them over."""
        with writer.begin():
            if former is not None:
                self._end_session(writer, former)
            for lock in held_locks:
                if not take_lock(writer, lock):
                    holder = find_live(writer, lock.kind.value).get(lock.number)
                    raise InUse(
                        f"{lock.kind.name.lower()} {lock.number} was taken over by {holder} while "
                        f"this command had no connection to {self.place}: run the command again "
                        "later"
                    )
            limit = {"silence": f"{1000 * SILENCE_FACTOR * self.busy_s:.0f}"}
            return int(writer.execute(_ATTACH_WRITER, limit).scalar_one())

    def name_blocker(self, connections: Connections) -> str | None:
        """Return the process that holds the write lock; None for a lock of another program."""
        with connections.reading() as connection:
            return find_live(connection, WRITER).get(0)

    def _end_session(self, connection: Connection, session: int) -> None:
        """End a former session of this process and wait until the server has done so."""
        end = text(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid = :session "
            "AND application_name = current_setting('application_name') "
            "AND usename = current_user AND datname = current_database()"
        )
        deadline = time.monotonic() + SESSION_END_S
        while connection.execute(end, {"session": session}).scalar_one():
            if time.monotonic() >= deadline:
                break
            time.sleep(0.02)

    def begin_writing(self, connection: Connection) -> None:
        """Take the write lock."""
        connection.exec_driver_sql(_LOCK)

    def change_mark(self, connection: Connection) -> object:
        """Return the server's transaction snapshot, which changes with any commit on it."""
        return connection.exec_driver_sql("SELECT pg_current_snapshot()::text").scalar_one()

    def check_integrity(self, connection: Connection) -> list[str]:
        """Return failed page checksums and invalid indexes."""
        failures = connection.exec_driver_sql(
            "SELECT checksum_failures FROM pg_stat_database WHERE datname = current_database()"
        ).scalar()
        invalid = connection.exec_driver_sql(
            "SELECT relname FROM pg_index JOIN pg_class ON oid = indexrelid "
            "WHERE NOT indisvalid AND pg_table_is_visible(oid) ORDER BY 1"
        ).scalars()
        faults = [f"the index {name} is invalid: rebuild it with REINDEX" for name in invalid]
        if failures:
            faults.append(f"the checksums of {failures} pages are wrong")
        return faults

    def server_state(self, connection: Connection) -> ServerState:
        """Return version, rights, runs in play and the time of a round trip."""
        row = connection.execute(_STATE).one()
        began = time.monotonic()
        for _ in range(ROUND_TRIPS):
            connection.exec_driver_sql("SELECT 1")
        return ServerState(
            **row._mapping,
            may_write=self.is_writable(connection),
            runs=find_live(connection, LockKind.RUN.value),
            round_trip_s=(time.monotonic() - began) / ROUND_TRIPS,
        )

    def process_locks(self, connections: Connections, kind: LockKind) -> ProcessLocks:
        """Return locks held by the session that writes."""
        return SessionLocks(connections, kind)

    def translate(self, error: Exception) -> DatabaseError | None:
        """Translate by SQLSTATE; an error without one, from a failed connection, by its text."""
        reason = error.orig if isinstance(error, DBAPIError) else error
        if reason is None:
            return None
        known = translate_sqlstate(getattr(reason, "sqlstate", None), str(reason), reason)
        return None if known is None else known[0](f"{self.place} {known[1]}")


def check_server_version(place: Place, number: int) -> None:
    """Raise DatabaseError if a server is older than OLDEST_VERSION; 14.2 has the number 140002."""
    version = number // 10_000
    if version < OLDEST_VERSION:
        raise DatabaseError(
            f"{place} is PostgreSQL {version}, which is too old: use {OLDEST_VERSION} or later"
        )


def _no_driver(place: Place, error: Exception) -> DatabaseError:
    return DatabaseError(
        f"{place.url.drivername} databases need a driver that is not installed ({error}): "
        f"run `{sys.executable} -m pip install -c constraints.txt '.[cluster]'` in a checkout, and "
        "begin the URL with postgresql+psycopg://"
    )
