"""The migrations lead to the models."""

import sqlite3
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Constraint, Table, create_engine
from sqlalchemy.pool import NullPool
from sqlalchemy.schema import CreateTable

from db import migrations
from db.backends.place import locate
from db.connection.database import Database
from db.derived.statements import Statements
from db.models import Base
from db.queries.games import select_summaries
from db.records.games import GameQuery
from db.store import Store
from engine.opening_set import parse_opening_set
from engine.result import Termination
from tests.db.making import add_bots, elo, new_bot, new_run, play_all
from tests.db.migrations.versions import go_back, run_migrations
from tests.support.sql import execute_sql

COLUMN_KINDS = [
    Termination(kind)
    for kind in ("timeout", "crash", "illegal_move", "protocol_error", "memory", "pondering")
]
"""The kinds of forfeits that had columns before version 0015."""
BOOK = parse_opening_set("4x4 0\n4x4 1")


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
        assert compare_metadata(context, Base.metadata) == []


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_every_table_that_counts_its_keys_never_reuses_one(store: Store) -> None:
    """Every table with generated keys must have AUTOINCREMENT, which a copy can lose."""
    counting = {table.name for table in Base.metadata.sorted_tables if counted_keys(table)}
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
    for table in Base.metadata.sorted_tables:
        for constraint in table.constraints - counted_keys(table):
            assert f"CONSTRAINT {constraint.name} " in text


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_a_new_file_is_that_of_the_migrations(place: str, tmp_path: Path) -> None:
    """A new file has the tables, indexes and rows that all migrations make, word by word."""
    Store.open(place).close()
    migrated = tmp_path / "migrated.db"
    with create_engine(locate(str(migrated)).url, poolclass=NullPool).begin() as connection:
        run_migrations(connection)
    assert dump(Path(place)) == dump(migrated), "run `python -m tests.tools.sqlite_tables`"


def dump(path: Path) -> list[str]:
    """Return everything in a file as statements."""
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def test_the_constant_of_the_version_is_that_of_the_newest_script() -> None:
    config = Config()
    config.set_main_option("script_location", str(migrations.SCRIPTS))
    assert ScriptDirectory.from_config(config).get_heads() == [migrations.HEAD]


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_models_compile_for_both_dialects(dialect: str) -> None:
    """The models use portable types only, and the hot path's statements exist in both."""
    chosen = import_module(f"sqlalchemy.dialects.{dialect}").dialect()
    for table in Base.metadata.sorted_tables:
        assert table.name in str(CreateTable(table).compile(dialect=chosen))
    Statements(chosen)


@pytest.mark.slow
@pytest.mark.sqlite_file
@pytest.mark.parametrize(
    "version",
    [
        "0001",
        "0003",
        "0006",
        "0007",
        "0012",
        "0017",
    ],
)
def test_earlier_versions_are_brought_up_to_date(place: str, version: str) -> None:
    """A database of an earlier version must open with its games, aggregate and a sound structure.

    The way to the first version and back runs every script.
    """
    check_upgrade(place, version)


@pytest.mark.slow
def test_the_version_before_forfeit_rows_keeps_its_counts(place: str) -> None:
    """Counts of forfeits are the same in rows as they were in columns, on both databases."""
    check_upgrade(place, "0014")


def check_upgrade(place: str, version: str) -> None:
    """Migrate back to a version and forward again, without losses, and store more pairs."""
    kinds = [kind for kind in COLUMN_KINDS if version > "0003" or kind != "pondering"]
    with Store.open(place) as store:
        run, revisions = new_run(store), add_bots(store)
        play_all(store, run, revisions, 80, kinds=kinds)
        games = list(store.games.stream(thoughts=True))
        tables = store.aggregate.of_division(run.division_id)
        store.divisions.ensure("6x7,thu", None, {"time_ms": 100}, fixed_opening=4)
        if version >= "0007":
            store.divisions.ensure("6x7,thu", None, {"time_ms": 100}, BOOK.content_hash)
        divisions = store.divisions.all()
    failures = {kind for row in tables for side in (row.a, row.b) for kind in side.failures}
    assert failures == set(kinds)
    go_back(place, version)
    assert Store.migrate(place) == version
    with Store.open(place) as store:
        assert list(store.games.stream(thoughts=True)) == games
        assert store.aggregate.of_division(run.division_id) == tables
        assert store.divisions.all() == divisions
        assert store.audit.integrity() == []
        check_models(place)
        play_all(store, run, revisions, 5, seed=2)
        assert store.aggregate.rebuild(elo, repair=False) == []


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_runs_of_a_database_without_verdicts_have_none(place: str) -> None:
    """Runs keep what they were, without a verdict, and games keep theirs."""
    with Store.open(place) as store:
        run, revisions = new_run(store), add_bots(store)
        play_all(store, run, revisions, 30)
        games = list(store.games.stream(thoughts=True))
    go_back(place, "0004")
    with Store.open(place) as store:
        assert store.runs.get(run.id) == run
        assert run.verdict is None
        assert list(store.games.stream(thoughts=True)) == games
        store.runs.set_verdict(run.id, "pass")
        assert store.runs.get(run.id).verdict == "pass"


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_bots_of_earlier_runs_are_found_by_content_and_pairs(place: str) -> None:
    """A bot that was renamed before the migration is found, even beside one of equal content."""
    with Store.open(place) as store:
        revisions = add_bots(store, 2)
        run = new_run(store)
        play_all(store, run, revisions, 3)
        store.bots.rename("v1", "first")
        store.bots.add(new_bot("v1"))
    go_back(place, "0013")
    with Store.open(place) as store:
        assert store.runs.get(run.id).renamed == {"v1": "first"}
        assert store.runs.get(run.id).settings["bots"] == {"first": "one", "v2": "one"}


@pytest.mark.sqlite_file
def test_forfeits_are_found_by_their_index(place: str) -> None:
    """The query for forfeits must use their index."""
    with closing(Database.open(place)) as database, database.reading() as connection:
        query = select_summaries(connection, GameQuery(forfeit=True)).limit(20)
        text = str(query.compile(connection.engine, compile_kwargs={"literal_binds": True}))
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}").all()
    assert any("ix_games_forfeited" in step.detail for step in plan), plan
