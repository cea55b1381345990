"""A real PostgreSQL server for the tests of a session, in a folder of its own, for all workers.

The server refuses to run as root: then it runs as another user. A keeper, a process of its own,
ends it and removes its folder when the tests' first process has ended, however that happens.
"""

import contextlib
import itertools
import json
import os
import pwd
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.shared import made_once

USERS = ("postgres", "nobody")
"""Who runs the server of tests that run as root: the first of them that there is."""
START_S = 60
QUICK = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
"""Settings for tests that survive no power cut."""
SAFE = {"fsync": "off", "full_page_writes": "off"}
"""Settings for tests that end the server's processes: what was committed survives their end."""
STOCK = "stock"
"""The database that tests copy: up to date, and without games."""
EMPTY = "template1"
"""One without our tables."""

_numbers = itertools.count()


def programs() -> Path | None:
    """Return the folder of the newest server's programs, or None if none is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda each: each.parts)
    here = shutil.which("initdb")
    if found:
        return found[-1].parent
    return None if here is None else Path(here).resolve().parent


def why_none() -> str | None:
    """Return why no server can be started, or None if one can."""
    return "no PostgreSQL server is installed" if programs() is None else None


@dataclass(frozen=True, slots=True)
class Server:
    """A server's folder, and the user that runs it with all rights."""

    folder: Path
    user: str

    @classmethod
    def make(cls, settings: dict[str, str]) -> "Server":
        """Make a server in a new folder, with these settings beside the defaults; not started."""
        user = pwd.getpwuid(os.getuid()).pw_name
        if os.getuid() == 0:
            known = {each.pw_name for each in pwd.getpwall()}
            user = next(name for name in USERS if name in known)
        # Not pytest's own folder: another user must reach it, and the path of a socket is short.
        folder = Path(tempfile.mkdtemp(prefix="ladder-pg-"))
        if os.getuid() == 0:
            os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
        server = cls(folder, user)
        server.run(
            "initdb", "-D", "data", "-U", user, "-A", "trust", "-E", "UTF8", "--locale=C", "-N"
        )
        lines = {
            "listen_addresses": "''",
            "unix_socket_directories": f"'{folder}'",
            "shared_buffers": "32MB",
            "max_connections": "200",
            "log_min_messages": "fatal",
            **settings,
        }
        text = "".join(f"{key} = {value}\n" for key, value in lines.items())
        with (folder / "data" / "postgresql.conf").open("a") as file:
            file.write(text)
        rules = "local all guarded scram-sha-256\nlocal all all trust\n"
        (folder / "data" / "pg_hba.conf").write_text(rules)
        return server

    def run(self, program: str, *words: str) -> None:
        """Run one of the server's programs as its user. Raises CalledProcessError."""
        place = programs()
        assert place is not None
        with (self.folder / "errors").open("ab") as errors:
            subprocess.run(
                [place / program, *words],
                cwd=self.folder,
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
                **self.other_user(),
            )

    def other_user(self) -> dict[str, Any]:
        """Return the arguments of `subprocess` that run a process as the server's user."""
        if os.getuid() != 0:
            return {}
        return {"user": self.user, "group": pwd.getpwnam(self.user).pw_gid, "extra_groups": []}

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self.run("pg_ctl", "-D", "data", "-w", "-t", str(START_S), "-l", "log", "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop the server: ``smart``, ``fast``, or ``immediate`` as a crash would."""
        self.run("pg_ctl", "-D", "data", "-w", "-m", mode, "stop")

    def restart(self, mode: str) -> None:
        """Stop the server as `stop` does, and start it again."""
        self.stop(mode)
        self.start()

    def url(self, database: str, *, user: str | None = None) -> str:
        """Return the URL of a database for `--db`."""
        return f"postgresql+psycopg://{user or self.user}@/{database}?host={self.folder}"

    def execute(self, statement: str, database: str = "postgres") -> list[Any]:
        """Run one statement outside of a transaction and return its rows."""
        import psycopg

        with psycopg.connect(
            host=str(self.folder), user=self.user, dbname=database, autocommit=True
        ) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    @contextlib.contextmanager
    def database(self, template: str = STOCK) -> Iterator[str]:
        """Create a copy of a database for one test, yield its URL, and drop it afterwards."""
        name = f"test_{os.getpid()}_{next(_numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        try:
            yield self.url(name)
        finally:
            self.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def replace(self, url: str, template: str) -> None:
        """Replace a database made by `database` by a copy of another one."""
        name = name_of(url)
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")

    def rename(self, url: str, name: str) -> None:
        """Rename a database made by `database`, so that it outlives the block."""
        self.execute(f"ALTER DATABASE {name_of(url)} RENAME TO {name}")

    def cut(self, url: str) -> None:
        """Terminate all sessions of a database."""
        ours = f"WHERE datname = '{name_of(url)}'"
        self.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity {ours}")  # noqa: S608

    def guard(self) -> None:
        """Remove the server when the tests' first process has ended, however that happens."""
        tests = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
        keeper = [sys.executable, "-m", __name__, str(self.folder), self.user, str(tests)]
        keeping = subprocess.Popen(keeper, cwd=Path(__file__).parents[2], start_new_session=True)
        keeping.returncode = 0  # it outlives this process, which must not be warned of that

    def remove(self) -> None:
        """Stop the server and delete its folder."""
        with contextlib.suppress(subprocess.CalledProcessError):
            self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)


def name_of(url: str) -> str:
    """Return the database name in a URL of `Server.url`."""
    return url.partition("@/")[2].partition("?")[0]


@cache
def shared_server() -> Server:
    """Return the server of this test session."""
    folder = made_once("postgresql", _start_shared)
    made = json.loads((folder / "server.json").read_text())
    return Server(Path(made["folder"]), made["user"])


def _start_shared(folder: Path) -> None:
    from db.store import Store

    server = Server.make(QUICK)
    server.start()
    server.guard()
    server.execute(f"CREATE DATABASE {STOCK}")
    Store.open(server.url(STOCK)).close()
    made = {"folder": str(server.folder), "user": server.user}
    (folder / "server.json").write_text(json.dumps(made))


def keep(server: Server, tests: int) -> None:
    """Wait until a process has ended, then remove the server."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(ProcessLookupError):
        select.select([os.pidfd_open(tests)], [], [])
    time.sleep(0.1)
    server.remove()


if __name__ == "__main__":
    keep(Server(Path(sys.argv[1]), sys.argv[2]), int(sys.argv[3]))
