"""PostgreSQL: a server's database, shared by processes of many machines.

A transaction that writes first takes one advisory lock. So there is one writer at a time, as with
SQLite, and what it has read stays true until its commit. One that reads sees one snapshot.

Each side of a connection notices within half a minute that the other is gone, and the server ends a
writing transaction whose client is silent for as long. A machine that lost its power or sleeps
therefore does not keep its locks for long.
"""

import logging
import re
import sys
import time
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from db.backends.backend import BUSY, CONFLICT, Backend, KnownFailure, OpenMode, Place, ServerState
from db.backends.locks import (
    WRITER,
    HeldLock,
    LockKind,
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
    Unreachable,
    Unwritable,
)
from db.models import METADATA

_UNREACHABLE = KnownFailure(
    ("53300", "08", "57P"),  # too many connections; shut down, starting, dropped
    Unreachable,
    "does not answer ({reason}); check that its server runs, and the URL with its sslmode",
)
_REFUSED = KnownFailure(
    ("28",),
    DatabaseError,
    "refuses this user ({reason}); check the user in the URL, and the password in PGPASSWORD or "
    "~/.pgpass",
)
_MISSING = KnownFailure(
    ("3D000",),
    Missing,
    "does not exist ({reason}); create it with `createdb`, or correct the URL",
)
_MISTYPED = KnownFailure(
    (),
    DatabaseError,
    "names an option or value that PostgreSQL's clients do not know ({reason}); correct the URL",
)
_MISTYPE = re.compile(r"invalid connection option|invalid \w+ value|bad value for")
"""What the driver calls a URL for which it asks no server."""
_REFUSALS = ("password", "authentication", "pg_hba.conf", "role ", "permission denied")
"""Words in the message of a connection that is refused for good.

Any other failed connection is Unreachable and retried, since the server may be starting.
"""


OLDEST_VERSION = 14
"""The oldest version of PostgreSQL that was supported in 2026."""
SILENCE_FACTOR = 3
"""A writing transaction may be silent for this many times the wait for a lock."""
_LOCK = f"SELECT pg_advisory_xact_lock({WRITER}, 0)"
_STATE = text(
    "SELECT current_setting('server_version') AS version, current_user AS user, "
    "current_setting('fsync') = 'off' OR current_setting('full_page_writes') = 'off' "
    "OR current_setting('synchronous_commit') = 'off' AS is_unsafe"
)
_ATTACH_WRITER = text(
    "SELECT pg_backend_pid(), set_config('idle_in_transaction_session_timeout', :silence, false)"
)
# Waits until the server has ended the session, for 10 s at most.
_END_SESSION = text(
    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE pid = :session "
    "AND application_name = current_setting('application_name') "
    "AND usename = current_user AND datname = current_database()"
)
_KEEPALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
"""After 10 s without traffic each side probes the other three times, every 5 s."""

for _table in METADATA.tables.values():
    for _index in _table.indexes:
        _index.dialect_kwargs["postgresql_where"] = _index.dialect_kwargs.get("sqlite_where")


class PostgresqlBackend(Backend):
    """A database on a PostgreSQL server."""

    code_attribute = "sqlstate"
    failures = (
        _UNREACHABLE,
        _REFUSED,
        _MISSING,
        KnownFailure(
            ("53", "58"),  # disk full, errors of the server's system
            Unwritable,
            "cannot be written ({reason}); check the server's free disk space",
        ),
        KnownFailure(
            ("40001", "40P01"), Contended, "rolled a transaction back ({reason}); try again"
        ),
        KnownFailure(
            ("42501", "25006"),  # insufficient privilege; a standby, or a user that only reads
            Unwritable,
            "does not allow this user to do that ({reason}); use another role, or have the owner "
            "of the database grant the right",
        ),
        KnownFailure(
            ("42P01", "42703", "XX"),  # undefined table or column
            Corrupt,
            "is damaged ({reason}); restore a copy",
        ),
        KnownFailure(("55P03",), Busy, BUSY.format(who="another session")),
        KnownFailure(
            ("25P03", "25P04"),  # idle in a transaction, or a transaction that takes too long
            Unreachable,
            "has ended this session ({reason}); check what delayed this process",
        ),
        KnownFailure(
            ("57014",),
            DatabaseError,
            "cancelled a statement ({reason}); try again, and raise statement_timeout if that is "
            "why",
        ),
        KnownFailure(("22003",), DatabaseError, "cannot store so large a number ({reason})"),
        KnownFailure(("23503", "23505"), Conflict, CONFLICT),  # foreign key, unique
    )
    reading_options: Mapping[str, Any] = {
        "isolation_level": "REPEATABLE READ",
        "postgresql_readonly": True,
    }
    # Statements see what was committed while the first one waited for the lock.
    writing_options: Mapping[str, Any] = {"isolation_level": "READ COMMITTED"}
    migration_advice = "`ladder doctor --upgrade` migrates it, while nothing else uses it"

    def make_engine(self, mode: OpenMode) -> Engine:
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
            raise DatabaseError(
                f"{self.place.url.drivername} databases need a driver that is not installed "
                f"({error}): run `{sys.executable} -m pip install -c constraints.txt '.[cluster]'` "
                "in a checkout, and begin the URL with postgresql+psycopg://"
            ) from error
        except ArgumentError as error:
            raise DatabaseError(f"{self.place} {_MISTYPED.message.format(reason=error)}") from error
        driver: Any = engine.dialect.dbapi
        self.driver_errors = (DBAPIError, driver.Error)
        # A lost connection is raised as an error; do not log it, too.
        logging.getLogger("psycopg").addHandler(logging.NullHandler())
        event.listen(engine, "connect", self._set_up)
        return engine

    def _set_up(self, driver: Any, _record: object) -> None:
        """Set timeouts of a new connection; pgbouncer refuses them as options of its start."""
        settings = {f"tcp_{key}": value for key, value in _KEEPALIVE.items()}
        settings["lock_timeout"] = int(self.busy_s * 1000)
        driver.autocommit = True
        driver.execute(
            "SELECT " + ", ".join(f"set_config('{key}', %s, false)" for key in settings),
            [str(value) for value in settings.values()],
        )
        driver.autocommit = False

    def check_database(self, connection: Connection) -> None:
        """Refuse old servers, and encodings other than UTF-8."""
        driver: Any = connection.connection.driver_connection
        check_server_version(self.place, driver.info.server_version)
        encoding = driver.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise DatabaseError(
                f"{self.place} has the encoding {encoding}, not UTF8: create another database with "
                "`createdb --encoding UTF8 --template template0 NAME`"
            )

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
                writer.execute(_END_SESSION, {"session": former})
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
        connection.exec_driver_sql("SELECT 1")
        round_trip_s = time.monotonic() - began
        return ServerState(
            **row._mapping,
            may_write=self.is_writable(connection),
            runs=find_live(connection, LockKind.RUN.value),
            round_trip_s=round_trip_s,
        )

    def find_failure(self, cause: BaseException, code: str) -> KnownFailure | None:
        """Return the failure of a connection that failed, by words in the driver's text."""
        text, reason = str(cause), self.shorten(cause)
        if not code and _MISTYPE.search(reason):
            return _MISTYPED
        if code or type(cause).__name__ not in ("OperationalError", "InterfaceError"):
            return None
        if ("FATAL" in text or "no password" in text) and "timeout" not in text:
            if any(word in reason for word in _REFUSALS):
                return _REFUSED
            if "does not exist" in reason:
                return _MISSING
        return _UNREACHABLE

    def shorten(self, cause: BaseException) -> str:
        """Return the line of a message that gives the reason, without the address in the URL."""
        lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
        line = next((line for line in lines if "FATAL:" in line), (lines or ["no reason given"])[0])
        line = line.removeprefix("connection failed: ")
        line = line.partition("fe_sendauth: ")[2] or line.partition("FATAL:")[2] or line
        return line.strip().rstrip(".")


def check_server_version(place: Place, number: int) -> None:
    """Raise DatabaseError if a server is older than OLDEST_VERSION; 14.2 has the number 140002."""
    version = number // 10_000
    if version < OLDEST_VERSION:
        raise DatabaseError(
            f"{place} is PostgreSQL {version}, which is too old: use {OLDEST_VERSION} or later"
        )
