"""A new database has the tables of the models."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Constraint, Table, create_engine
from sqlalchemy.pool import NullPool

from db import migrations
from db.backends.backend import locate
from db.models import METADATA
from db.queries.games import select_newest
from db.records.games import GameQuery
from db.store import Store
from tests.support.sql import execute_sql


def counted_keys(table: Table) -> set[Constraint]:
    """Return the primary key of a table that counts it, in a set of its own."""
    column = table.autoincrement_column
    return {table.primary_key} if column is not None and not column.foreign_keys else set()


@pytest.mark.slow
def test_a_new_database_equals_the_models(place: str) -> None:
    """Tables, columns, types, defaults, keys and indexes of a new database are the models'."""
    Store.open(place).close()
    check_models(place)


def check_models(place: str) -> None:
    options = {"compare_type": True, "compare_server_default": True, "render_as_batch": True}
    with create_engine(locate(place).url, poolclass=NullPool).connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, METADATA) == []


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_every_table_that_counts_its_keys_never_reuses_one(store: Store) -> None:
    """Every table with generated keys must have AUTOINCREMENT, which a copy can lose."""
    counting = {table.name for table in METADATA.sorted_tables if counted_keys(table)}
    made = execute_sql(store.where, "SELECT name, sql FROM sqlite_master")
    assert {name for name, sql in made if "AUTOINCREMENT" in (sql or "")} == counting
    assert len(counting) >= 5


@pytest.mark.sqlite_file
def test_constraint_names_are_the_models(store: Store) -> None:
    """Every constraint has the name that the models give it.

    SQLAlchemy cannot name a key with AUTOINCREMENT, which no migration alters.
    """
    made = execute_sql(store.where, "SELECT sql FROM sqlite_master")
    text = "\n".join(sql for (sql,) in made if sql)
    for table in METADATA.sorted_tables:
        for constraint in table.constraints - counted_keys(table):
            assert f"CONSTRAINT {constraint.name} " in text


def test_the_constant_of_the_version_is_that_of_the_newest_script() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    assert ScriptDirectory.from_config(config).get_heads() == [migrations.HEAD]


@pytest.mark.sqlite_file
def test_forfeits_are_found_by_their_index(place: str) -> None:
    """The query for forfeits must use their index."""
    with Store.open(place) as store, store.reading() as connection:
        query = select_newest(connection, GameQuery(forfeit=True)).limit(20)
        text = str(query.compile(connection.engine, compile_kwargs={"literal_binds": True}))
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}").all()
    assert any("ix_games_forfeited" in step.detail for step in plan), plan
