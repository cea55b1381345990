"""What becomes of runs when their PostgreSQL server restarts, is full, or is shared by many.

A server of its own, for it is stopped in the middle.
"""

import json
import shutil
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from db.errors import Unreachable
from db.store import Store
from tests.end_to_end.conftest import FAKE_BOTS, Ladder, add_steady
from tests.end_to_end.traces import QUICK_ALONE, faults_of, lines_of, lines_of_safely
from tests.support.postgresql import EMPTY, SAFE, Server, name_of, why_none
from tests.support.shared import made_once
from tests.support.sql import execute_sql
from tests.support.waiting import eventually

pytestmark = pytest.mark.skipif(why_none() is not None, reason=str(why_none()))
WORDS = ("run", *QUICK_ALONE, "--games", 20, "--seed", 1)
NUMBER = "SELECT pg_current_xact_id()::text::bigint"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Return a server for the tests of this file."""
    made = Server.make({**SAFE, "wal_writer_delay": "10s"})  # a crash loses what nobody waits for
    made.guard()
    made.start()
    yield made
    made.remove()


@pytest.fixture
def there(server: Server, ladder: Ladder) -> Iterator[Ladder]:
    """Commands with a database of that server, in which `steady` is registered."""
    with server.database(EMPTY) as url:
        runner = Ladder(ladder.folder, url)
        shutil.copy(FAKE_BOTS / "bot.py", runner.folder)
        add_steady(runner)
        yield runner
        for process in runner.started:
            process.kill()


@pytest.fixture(scope="session")
def quiet() -> list[Any]:
    """Return the games of `WORDS` played in peace, in a file."""

    def play(folder: Path) -> None:
        done = Ladder(folder).stock()(*WORDS)
        assert done.code == 0, done.err

    return lines_of(made_once("quiet-for-servers", play))


@pytest.mark.slow
def test_a_run_survives_a_restart_of_the_server(
    there: Ladder, server: Server, quiet: list[Any]
) -> None:
    """Stopped as by a crash: nothing is lost, nothing is twice, and `serve` follows.

    The run reports that it waits, and that it continues.
    """
    site, address = there.serve()

    def shown() -> list[Any]:
        with urllib.request.urlopen(f"{address}api/runs") as answer:  # noqa: S310
            return list(json.load(answer)["runs"])

    with there.slow():
        process = there.start(*WORDS)
        eventually(lambda: len(lines_of_safely(there.db)) >= 4)
        (run,) = shown()
        assert run["status"] == "running"
        assert run["games"] >= 4
        server.restart("immediate")
    done = there.finish(process)
    assert done.code == 0, done.err
    assert "trying again in" in done.err
    assert "continuing after" in done.err
    assert "Traceback" not in done.err
    assert lines_of(there.db) == quiet
    assert faults_of(there.db) == []
    (run,) = shown()
    assert (run["status"], run["games"]) == ("finished", 20)
    assert there.interrupt(site).code == 0


def lose_a_transaction(database: Store, server: Server, url: str) -> None:
    """Crash the server before a commit; another transaction then gets the number and commits."""
    with database.writing() as connection:
        connection.exec_driver_sql("CREATE TABLE lost ()")
        (lost,) = connection.exec_driver_sql(NUMBER).one()
        server.restart("immediate")
        number = -1
        while number < lost:
            number = execute_sql(url, NUMBER)[0][0]
        assert number == lost, "the crash has set no number free"


@pytest.mark.slow
def test_a_transaction_number_that_a_crash_has_set_free_is_no_commit(server: Server) -> None:
    """A transaction is not done because another one was, which got its number after a crash."""
    with server.database(EMPTY) as url, Store.open(url) as database:
        with pytest.raises(Unreachable):
            lose_a_transaction(database, server, url)
        assert server.execute("SELECT to_regclass('lost')", name_of(url)) == [(None,)]


@pytest.mark.slow
def test_an_unreachable_server_is_reported_with_its_cause(ladder: Ladder, server: Server) -> None:
    """A server that is not there, no such database, tables of others: one sentence, exit code 2."""
    with server.database(EMPTY) as strange:
        name = name_of(strange)
        server.execute("CREATE TABLE games (id integer)", name)
        server.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
        for url, said in (
            (server.url("nowhere"), "createdb"),
            (strange, "holds tables of another program"),
            (server.url("postgres", user="guarded:s3cret"), "refuses this user"),
            (f"postgresql+psycopg://me@/x?host={ladder.folder}", "check that its server runs"),
        ):
            done = ladder("run", "--bots", "random,stupid", "--db", url)
            assert done.code == 2, done.err
            (sentence,) = [line for line in done.err.splitlines() if line.startswith("ladder: ")]
            assert said in sentence
            assert "s3cret" not in done.err
            assert "Traceback" not in done.err
