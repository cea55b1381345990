"""A server's database of an older version is read as it is, and migrated only by command."""

import contextlib
from collections.abc import Iterator

import psycopg
import pytest

from db import migrations
from db.errors import InUse, Outdated, Unwritable
from db.models import Base
from db.records.runs import RunStatus
from db.store import Store
from tests.db.making import add_bots, new_run, play_all
from tests.db.migrations.versions import go_back
from tests.support.postgresql import Server, name_of, shared_server, why_none

pytestmark = pytest.mark.skipif(why_none() is not None, reason=str(why_none()))
VERSION = "SELECT version_num FROM alembic_version"
TOO_OLD = "0006"


@pytest.fixture
def server() -> Server:
    return shared_server()


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    """Yield a database of the oldest readable version with the games of a run."""
    with server.database() as made:
        with Store.open(made) as store:
            play_all(store, new_run(store), add_bots(store), 20)
            store.divisions.ensure("6x7,thu", None, {"time_ms": 100}, fixed_opening=4)
        go_back(made, migrations.READABLE)
        yield made


def version_of(server: Server, url: str) -> str:
    return str(server.execute(VERSION, name_of(url))[0][0])


def role(server: Server, name: str, *statements: str, database: str) -> None:
    """Create a role with the rights that the statements grant."""
    with contextlib.suppress(psycopg.errors.DuplicateObject):
        server.execute(f"CREATE ROLE {name} LOGIN")
    for statement in statements:
        server.execute(statement, database)


@pytest.mark.slow
def test_an_older_database_is_read_and_left_as_it_is(server: Server, url: str) -> None:
    """Reading must work, writing be refused with the command to migrate, and nothing change."""
    with Store.open_to_read(url) as store:
        (run,) = store.runs.find()
        games = list(store.games.stream())
        tables = store.aggregate.of_division(run.division_id)
        divisions = store.divisions.all()
        assert [division.fixed_opening for division in divisions] == [None, 4]
        assert any(sum(side.forfeits.values()) for table in tables for side in (table.a, table.b))
        assert store.is_read_only
        with pytest.raises(Outdated, match="doctor --migrate"):
            store.runs.set_status(run.id, RunStatus.FINISHED)
        server.cut(url)
        assert store.divisions.all() == divisions, "a new connection must know the stand-ins, too"
    with pytest.raises(Outdated, match=f"version {migrations.READABLE}, here {migrations.HEAD}"):
        Store.open(url)
    assert version_of(server, url) == migrations.READABLE
    Store.migrate(url)
    with Store.open(url) as store:
        assert list(store.games.stream()) == games
        assert store.aggregate.of_division(run.division_id) == tables
        assert store.divisions.all() == divisions


def test_the_oldest_readable_version_has_all_columns(server: Server, url: str) -> None:
    """A migration that adds a column must move the oldest version that can be read."""
    query = "SELECT table_name, column_name FROM information_schema.columns"
    there = set(server.execute(query, name_of(url)))
    missing = {
        table.name
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if (table.name, column.name) not in there
    }
    assert missing
    incomplete = missing & {table for table, _ in there}
    assert incomplete <= set(migrations.STAND_INS), "a table lacks some columns"


@pytest.mark.slow
def test_a_version_that_is_too_old_is_not_read(url: str) -> None:
    """It must be left alone, and the error must name the command."""
    go_back(url, TOO_OLD)
    with pytest.raises(Outdated, match="doctor --migrate"):
        Store.open_to_read(url)
    assert Store.migrate(url) == TOO_OLD
    assert Store.migrate(url) is None


@pytest.mark.slow
def test_a_follower_notices_a_migration(url: str) -> None:
    """A follower must read an older database, and notice its migration."""
    with Store.follow(url) as follower:
        assert len(follower.runs.find()) == 1
        assert not follower.is_replaced
        assert Store.migrate(url) == migrations.READABLE
        assert follower.is_replaced


@pytest.mark.slow
def test_a_migration_waits_until_no_run_is_in_play(server: Server, url: str) -> None:
    """The error must name the run and its process; only force migrates meanwhile."""
    assert Store.migrate(url) == migrations.READABLE
    with Store.open(url) as store, contextlib.closing(store.run_lock()) as lock:
        assert lock.try_acquire(1)
        go_back(url, "0013")
        with pytest.raises(InUse, match=r"run 1 by process \d+ on .*--force"):
            Store.migrate(url)
        assert version_of(server, url) == "0013"
        assert Store.migrate(url, force=True) == "0013"


@pytest.mark.slow
def test_only_the_owner_migrates(server: Server, url: str) -> None:
    """Another role must be refused; tables that an administrator adds belong to the owner."""
    name = name_of(url)
    role(server, "guest", "GRANT ALL ON ALL TABLES IN SCHEMA public TO guest", database=name)
    role(server, "keeper", "GRANT ALL ON SCHEMA public TO keeper", database=name)
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    for (table,) in server.execute(tables, name):
        server.execute(f"ALTER TABLE {table} OWNER TO keeper", name)
    with pytest.raises(Unwritable, match="only by keeper"):
        Store.migrate(url.replace(f"{server.user}@", "guest@"))
    assert Store.migrate(url) == migrations.READABLE
    owners = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'"
    assert server.execute(owners, name) == [("keeper",)]


def test_a_reader_without_temporary_tables_is_refused(server: Server, url: str) -> None:
    """If temporary tables are not allowed, the error must name the command."""
    name = name_of(url)
    role(
        server,
        "looker",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO looker",
        f"REVOKE TEMPORARY ON DATABASE {name} FROM PUBLIC",
        database=name,
    )
    with pytest.raises(Outdated, match="doctor --migrate"):
        Store.open_to_read(url.replace(f"{server.user}@", "looker@"))
