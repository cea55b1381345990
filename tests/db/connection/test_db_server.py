"""Failures of a server: lost connections, commits without answer, rolled back transactions."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import OperationalError

from db.backends.backend import locate
from db.backends.locks import WRITER
from db.backends.postgresql import PostgresqlBackend, check_server_version
from db.database import OPENING_S
from db.errors import (
    Busy,
    CommitLost,
    DatabaseError,
    InUse,
    Missing,
    NotALadderDatabase,
    Unreachable,
    Unwritable,
)
from db.records.pairs import PlannedPair
from db.records.runs import RunStatus
from db.store import RetryPolicy, Store
from tests.db.making import add_bots, maker, new_bot, new_run, play_all
from tests.support.lost_commits import lose_commits
from tests.support.postgresql import Server, name_of, shared_server, why_none

BUSY_S = 0.2
"""How long tests of waiting wait for a lock."""
pytestmark = pytest.mark.skipif(why_none() is not None, reason=str(why_none()))


@pytest.fixture
def server() -> Server:
    return shared_server()


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    with server.database() as made:
        yield made


@pytest.fixture
def told() -> list[str]:
    """Return a list for the messages of a store's retries."""
    return []


@pytest.fixture
def store(url: str, told: list[str]) -> Iterator[Store]:
    with Store.open(url) as opened:
        opened.retry_policy.report = told.append
        yield opened


def test_a_cut_connection_is_replaced(
    store: Store, server: Server, url: str, told: list[str]
) -> None:
    """Reading and writing must continue, with a message for each wait."""
    add_bots(store)
    server.cut(url)
    run = new_run(store)
    server.cut(url)
    assert store.runs.get(run.id).status is RunStatus.RUNNING
    assert any("trying again" in sentence for sentence in told)
    assert any("continuing" in sentence for sentence in told)


def test_a_transaction_that_was_cut_is_done_once(store: Store, server: Server, url: str) -> None:
    """Pair numbers must be taken once, whenever the connection is lost."""
    run, revisions = new_run(store), add_bots(store)
    make = maker(revisions)
    cuts = [3, 1]

    def cutting(number: int) -> PlannedPair:
        if cuts and number == cuts[-1]:
            cuts.pop()
            server.cut(url)
        return make(number)

    rows = store.pairs.plan(run.id, 5, cutting)
    assert cuts == []
    assert [row.number for row in rows] == [0, 1, 2, 3, 4]
    assert store.pairs.planned(run.id) == rows


@pytest.mark.slow
def test_a_lost_commit_counts_once(server: Server, url: str) -> None:
    """Whether or not the server had committed, each pair must be planned and stored once."""
    assert sum(lose_commits(server, url, 12).values()) > 12


@pytest.mark.slow
def test_a_change_that_must_not_be_made_twice_is_not_repeated(store: Store) -> None:
    """If the answer to such a commit is lost, the command ends and says so."""

    def cut(connection: Connection) -> None:
        driver: Any = connection.connection.driver_connection
        driver.commit()
        driver.close()

    event.listen(store.engine, "commit", cut, once=True)
    with pytest.raises(CommitLost, match="may be done or not: look before"):
        store.bots.add(new_bot("once"))
    assert [bot.name for bot in store.bots.all()] == ["once"]


def test_a_job_is_added_once_although_the_reader_is_cut(store: Store) -> None:
    """No loss after the commit may repeat it."""
    driver: Any = store.reader.connection.driver_connection
    event.listen(store.engine, "commit", lambda _: driver.close(), once=True)
    job = store.queue.add(["analyze"], folder="/", author="ann")
    assert driver.closed
    assert store.queue.all() == [job]


@pytest.mark.slow
def test_a_deadlock_is_tried_again(store: Store, server: Server, url: str, told: list[str]) -> None:
    """A transaction that the server rolls back for another program must be repeated."""
    run, revisions = new_run(store), add_bots(store)
    make = maker(revisions)
    with psycopg.connect(host=str(server.folder), user=server.user, dbname=name_of(url)) as other:
        other.execute("SET deadlock_timeout = '1min'")  # so that we are the one who is undone
        other.execute("SELECT FROM runs FOR UPDATE")
        pid = other.info.backend_pid
        asked = f"SELECT 1 FROM pg_locks WHERE NOT granted AND pid = {pid}"  # noqa: S608

        def take() -> None:
            other.execute(f"SELECT pg_advisory_xact_lock({WRITER}, 0)")
            other.commit()

        waiting = threading.Thread(target=take)

        def colliding(number: int) -> PlannedPair:
            if not told and not waiting.is_alive():
                waiting.start()
                while not server.execute(asked):
                    pass
            return make(number)

        assert len(store.pairs.plan(run.id, 3, colliding)) == 3
        waiting.join()
    assert "deadlock" in told[0]
    assert [row.number for row in store.pairs.planned(run.id)] == [0, 1, 2]


def test_a_writer_that_sleeps_is_named_and_ended(url: str, told: list[str]) -> None:
    """A waiting writer names the process that blocks it; the server ends it if it is silent."""
    sleeper = os.fork()
    if not sleeper:
        store = Store.open(url, busy_s=BUSY_S)
        with contextlib.suppress(DatabaseError):
            with store.writing() as connection:
                driver: Any = connection.connection.driver_connection
                driver.execute("SELECT 1")
                os.kill(os.getpid(), signal.SIGSTOP)
            os._exit(1)
        os._exit(0)
    assert os.WIFSTOPPED(os.waitpid(sleeper, os.WUNTRACED)[1])
    with Store.open(url, busy_s=BUSY_S) as store:
        store.retry_policy.report = told.append
        add_bots(store)
    assert f"kept busy by process {sleeper} on " in told[0]
    assert "continuing" in told[-1]
    os.kill(sleeper, signal.SIGCONT)
    assert os.waitpid(sleeper, 0)[1] == 0, "its transaction must be lost"


def test_waiting_for_a_lock_ends_after_the_longest_wait(server: Server, url: str) -> None:
    """The error must be a sentence about a session that locks the tables."""
    with (
        psycopg.connect(
            host=str(server.folder),
            user=server.user,
            dbname=name_of(url),
        ) as other,
        Store.open(url, busy_s=BUSY_S) as store,
    ):
        other.execute("LOCK TABLE bots")
        store.retry_policy.seconds = 2 * BUSY_S
        with pytest.raises(Busy, match="kept busy by another session; wait for it"):
            add_bots(store)
        other.rollback()
        add_bots(store)


def test_a_server_that_stays_away_is_reported_in_the_end(
    server: Server, url: str, told: list[str]
) -> None:
    """After the longest wait the error must say that the server does not answer."""
    with Store.open(url) as store:
        store.retry_policy.report = told.append
        store.retry_policy.seconds = 0.5
        name = name_of(url)
        server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        server.cut(url)
        with pytest.raises(Unreachable, match="not currently accepting"):
            store.bots.all()
        assert any("trying again" in sentence for sentence in told)
        server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        assert store.bots.all() == []


def test_a_run_lives_as_long_as_its_session(server: Server, url: str) -> None:
    """Others must see the lock and its holder, and get it once the session has ended."""
    with Store.open(url) as one, Store.open(url) as two:
        mine, theirs = one.run_lock(), two.run_lock()
        assert mine.try_acquire(7)
        assert not mine.try_acquire(7)
        assert not theirs.try_acquire(7)
        assert "process" in str(theirs.holder(7))
        assert not theirs.is_alive(8)
        mine.close()
        assert not theirs.is_alive(7)
        assert mine.try_acquire(7)
        server.cut(url)
        new_run(one)  # the first write after the cut takes the lock again
        assert theirs.is_alive(7)
        assert not theirs.try_acquire(7)


def test_a_run_that_was_taken_over_is_given_up(server: Server, url: str) -> None:
    """A process that lost its connection and its run to another one must not write."""
    with Store.open(url) as one, Store.open(url) as two:
        run = new_run(one)
        assert one.run_lock().try_acquire(run.id)
        server.cut(url)
        assert two.run_lock().try_acquire(run.id)
        with pytest.raises(InUse, match="taken over by process"):
            one.runs.set_status(run.id, RunStatus.FINISHED)
        assert two.runs.get(run.id).status is RunStatus.RUNNING


def test_another_programs_database_is_refused(server: Server) -> None:
    """Another program's tables must be left alone."""
    with server.database("template1") as url:
        server.execute("CREATE TABLE games (id integer)", name_of(url))
        with pytest.raises(NotALadderDatabase, match="another program"):
            Store.open(url)
        tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        assert server.execute(tables, name_of(url)) == [("games",)]


@pytest.mark.slow
def test_tables_are_found_on_the_whole_search_path(server: Server) -> None:
    """A schema before that of the tables may be empty."""
    with server.database("template1") as url:
        server.execute("CREATE SCHEMA own", name_of(url))
        Store.open(url).close()
        joined = f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3Down,public"
        with Store.open(joined, create=False) as store:
            assert store.bots.all() == []


@pytest.mark.slow
def test_a_follower_looks_at_locks_through_the_connection_that_reads(
    server: Server, url: str
) -> None:
    """It opens no second one."""
    sessions = (
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE datname = current_database() AND application_name LIKE 'ladder%'"
    )
    with Store.open(url) as store, Store.follow(url) as follower:
        lock = store.run_lock()
        assert lock.try_acquire(7)
        before = server.execute(sessions, name_of(url))
        assert follower.run_lock().is_alive(7)
        assert server.execute(sessions, name_of(url)) == before


def test_a_connection_cut_while_a_database_is_opened_is_replaced(
    server: Server, url: str, told: list[str]
) -> None:
    """A command that starts while the server restarts must wait a short time for it."""
    retry_policy = RetryPolicy()
    retry_policy.report = told.append
    cuts = [1]

    def cut(_: Connection) -> None:
        if cuts:
            cuts.pop()
            server.cut(url)

    event.listen(Engine, "engine_connect", cut)
    try:
        with Store.open(url, retry_policy=retry_policy) as store:
            assert store.bots.all() == []
    finally:
        event.remove(Engine, "engine_connect", cut)
    assert cuts == []
    assert "trying again" in told[0]
    assert retry_policy.seconds > OPENING_S


def test_an_empty_database_is_filled_by_writers_only(server: Server) -> None:
    """A reader must get a clear error, and leave the database empty."""
    with server.database("template1") as url:
        with pytest.raises(Missing, match="play some first"):
            Store.open(url, create=False)
        with Store.open(url) as store:
            assert store.bots.all() == []


def test_passwords_are_in_no_message(server: Server) -> None:
    """A wrong password must be reported as refused, without the password."""
    with contextlib.suppress(psycopg.errors.DuplicateObject):
        server.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
    with pytest.raises(DatabaseError, match="refuses this user") as caught:
        Store.open(server.url("stock", user="guarded:s3cret"))
    assert "s3cret" not in str(caught.value)
    with pytest.raises(DatabaseError, match="not a database URL") as caught:
        Store.open("postgresql+psycopg://me:s3cret@host:port/name")
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_an_old_server_is_refused() -> None:
    """A server that is too old must be an error with its version."""
    place = locate("postgresql+psycopg://me@host/games")
    check_server_version(place, 140_000)
    with pytest.raises(DatabaseError, match="PostgreSQL 13, which is too old: use 14 or later"):
        check_server_version(place, 130_012)


def test_a_user_without_rights_to_write_can_read(server: Server, url: str, store: Store) -> None:
    """Reading must work, and writing be refused with a clear message."""
    play_all(store, new_run(store), add_bots(store), 2)
    with contextlib.suppress(psycopg.errors.DuplicateObject):
        server.execute("CREATE ROLE looker LOGIN")
    server.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO looker", name_of(url))
    with Store.open_to_read(url.replace(f"{server.user}@", "looker@")) as reader:
        assert reader.is_read_only
        assert len(list(reader.games.stream())) == 4
        with pytest.raises(Unwritable, match="permission denied"):
            new_run(reader)


@pytest.mark.slow
def test_keys_beyond_32_bits_are_stored_and_read(server: Server, url: str) -> None:
    """Pairs and games beyond 2**31 must be stored and read."""
    with Store.open(url) as store:
        run, revisions = new_run(store), add_bots(store)
        play_all(store, run, revisions, 2)
    for table in ("pairs", "games"):
        server.execute(f"ALTER SEQUENCE {table}_id_seq RESTART {3 * 2**30}", name_of(url))
    with Store.open(url) as store:
        play_all(store, run, revisions, 6, seed=2)
        assert [game.id for game in store.games.stream()] == [
            *range(1, 5),
            *range(3 * 2**30, 3 * 2**30 + 12),
        ]
        faults = " ".join(store.audit.games())  # the games are made up, and not by the rules
        assert "of its pair" not in faults
        assert "of its run" not in faults
        assert list(store.audit.outcomes()) == []
        assert store.games.get(3 * 2**30 + 1) is not None


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (psycopg.errors.DiskFull("x"), Unwritable),
        (psycopg.errors.AdminShutdown("x"), Unreachable),
        (psycopg.errors.CannotConnectNow("x"), Unreachable),
        (psycopg.errors.SyntaxError("x"), None),
        ("the database system is shutting down", Unreachable),
        ("the database system is starting up", Unreachable),
        ("sorry, too many clients already", Unreachable),
        ("canceling authentication due to timeout", Unreachable),
        ('database "games" does not exist', Missing),
        ('role "me" does not exist', DatabaseError),
        ('permission denied for database "games"', DatabaseError),
    ],
)
def test_what_passes_is_waited_for_and_what_lasts_is_not(
    error: psycopg.Error | str, kind: type[DatabaseError] | None
) -> None:
    """By its code, or by words if it has none: a starting server is waited for, a full disk not."""
    if isinstance(error, str):
        words = f'connection to server at "host" failed: FATAL:  {error}'
        error = psycopg.OperationalError(words)
    backend = PostgresqlBackend(locate("postgresql+psycopg://me@host/games"), BUSY_S)
    found = backend.translate(OperationalError("INSERT", {}, error))
    assert (None if found is None else type(found)) is kind
    assert found is None or str(error).rpartition("  ")[2] in str(found)
