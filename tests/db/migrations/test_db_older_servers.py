"""A server's database of an older version is migrated only by command."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from db.backends.locks import LockKind
from db.errors import InUse, Outdated, Unwritable
from db.store import Store
from tests.support.former import write_former
from tests.support.postgresql import Server, name_of, shared_server, why_none

pytestmark = pytest.mark.skipif(why_none() is not None, reason=str(why_none()))
VERSION = "SELECT version_num FROM alembic_version"
OLDER = "0024"


@pytest.fixture
def server() -> Server:
    return shared_server()


@pytest.fixture
def url(server: Server, tmp_path: Path) -> Iterator[str]:
    """Yield a database of an older version with games."""
    with server.database() as made:
        write_former(made, OLDER, tmp_path)
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
def test_an_older_database_is_refused_until_it_is_migrated(server: Server, url: str) -> None:
    """Every way to open it must name the command and change nothing; migrating keeps all games."""
    for open_it in (Store.open, Store.open_to_read, Store.follow):
        with pytest.raises(Outdated, match=f"version {OLDER}, here .*doctor --migrate"):
            open_it(url)
    assert version_of(server, url) == OLDER
    assert Store.migrate(url) == OLDER
    assert Store.migrate(url) is None
    with Store.open_to_read(url) as store:
        assert len(list(store.games.stream())) > 300


@pytest.mark.slow
def test_a_migration_waits_until_no_run_is_in_play(server: Server, url: str) -> None:
    """The error must name the run and its process; only force migrates meanwhile."""
    lock = f"SELECT pg_try_advisory_lock({LockKind.RUN.value}, 1)"
    with psycopg.connect(host=str(server.folder), user=server.user, dbname=name_of(url)) as other:
        other.execute(lock)
        with pytest.raises(InUse, match=r"run 1 by .*--force"):
            Store.migrate(url)
        assert version_of(server, url) == OLDER
        assert Store.migrate(url, force=True) == OLDER


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
    assert Store.migrate(url) == OLDER
    owners = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'"
    assert server.execute(owners, name) == [("keeper",)]
