"""Databases of earlier releases are migrated, with all that they hold."""

import json
import os
import shutil
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import compress
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from db.bots_only import storing_only_bots
from db.errors import InUse, Outdated, TooNew
from db.migrations import HEAD
from db.store import Store, shown_by_server
from ladder.registry.builtins import sync_builtins
from ladder.results.standings.division import read_division, standings_of_division
from tests.db.making import add_bots, maker, new_play, new_run, play_all
from tests.db.migrations.test_db_migrations import check_models
from tests.support.former import FOLDER, call_version, write_former
from tests.support.sql import execute_sql

KEPT = {
    "runs": "id, kind, rated, stream, identity, settings, seed, division_id, target_games, status, "
    "started_at, ended_at, note, verdict",
    "divisions": "id, key, label",
    "jobs": "id, command, folder, author, note, status, added_at, ended_at, exit_code, result",
}
"""The columns that stay in the tables that the migration changes."""
ADDED = ("first_plies", "second_plies")
"""The columns that pairs get, which repeat their games."""
CHANGED = ["v14", "v15", "v16", "v17", "c4ai", "exact"]
"""Players that are other revisions since 0.2.0."""
NEXT = f"{int(HEAD) + 1:04}"


def rows_of(path: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of all tables but the version, without columns that leave or come."""
    with closing(sqlite3.connect(path)) as connection:
        names = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if name not in ("alembic_version", *KEPT)
        ]
        rows = {}
        for name in (*names, *KEPT):
            cursor = connection.execute(f"SELECT {KEPT.get(name, '*')} FROM {name}")  # noqa: S608
            stays = [column[0] not in ADDED for column in cursor.description]
            rows[name] = [tuple(compress(row, stays)) for row in cursor]
    return rows


def version_of(place: str) -> str:
    ((version,),) = execute_sql(place, "SELECT version_num FROM alembic_version")
    return str(version)


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_a_file_is_migrated_when_it_is_opened(place: str, tmp_path: Path) -> None:
    """All rows stay as they were, keys go on, and the tables are the models'; the copy beside is
    the file before, and a second migration replaces no copy."""
    write_former(place)
    before = rows_of(place)
    with Store.open_to_read(place) as store:
        assert store.migration is not None
        copy = store.migration.copy
        assert (store.migration.version, copy) == ("0100", f"{place}.backup-0100")
        audit = store.audit
        assert audit.integrity() == []
        faults = (audit.bots(), audit.runs(), audit.pairs(), audit.games(), audit.outcomes())
        assert [fault for each in faults for fault in each] == []
    check_models(place)
    assert rows_of(place) == before
    assert version_of(f"{place}.backup-0100") == "0100"
    assert rows_of(f"{place}.backup-0100") == before
    assert sorted(entry.name for entry in tmp_path.iterdir() if "-wal" in entry.name) == []
    with Store.open(place) as store:
        assert store.migration is None
        assert sync_builtins(store) == CHANGED
        newest = max(game.id for game in store.games.stream())
        play_all(store, new_run(store, boards="6x7"), [1, 2], 1)
        assert max(game.id for game in store.games.stream()) == newest + 2
    shutil.copy(f"{place}.backup-0100", place)
    Store.open(place).close()
    assert Path(f"{place}.backup-0100-2").exists()


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_lists_are_those_of_the_former_program(place: str) -> None:
    """Every rating list has the bots, games, results and ratings that the release printed."""
    write_former(place)
    printed = json.loads((FOLDER / "0100.json").read_text())
    assert len(printed["reports"]) == 4
    with Store.open(place) as store:
        assert {run.kind for run in store.runs.find()} >= {"gate", "tune", "bisect", "select"}
        assert [(run.id, run.status) for run in store.runs.find()] == [
            (run["run"], run["status"]) for run in printed["runs"]
        ]
        for label, former in printed["reports"].items():
            games = read_division(store, store.divisions.find(label))
            now = standings_of_division(store, games)
            assert (now.games, now.label) == (former["games"], label)
            for bot, old in zip(now.bots, former["bots"], strict=True):
                counts = (bot.name, *bot.results)
                assert counts == (old["name"], old["wins"], old["draws"], old["losses"])
                given = [old[key] for key in ("elo", "error95") if old[key] is not None]
                found = [
                    value for value in (bot.rating.elo, bot.rating.error95) if value is not None
                ]
                assert found[: len(given)] == pytest.approx(given, abs=0.06)


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_several_processes_migrate_a_file_once(place: str, tmp_path: Path) -> None:
    """Of four openings at once one migrates the file, and all of them can use it."""
    write_former(place)

    def count_games(_: int) -> tuple[bool, int]:
        with Store.open(place) as store:
            return store.migration is not None, sum(1 for _ in store.games.stream())

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(count_games, range(4)))
    assert sorted(migrated for migrated, _ in found) == [False, False, False, True]
    assert len({games for _, games in found}) == 1
    assert len(list(tmp_path.glob("*.backup-*"))) == 1


def _migrate_and_die(place: str) -> None:
    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    store = Store.open(f"{place}.other")
    store.close()
    store = Store(place, store._mode, 1.0, store.retry_policy)
    # The connection that migrates dies after the first column has left.
    store.writer.connection.dbapi_connection.set_trace_callback(  # type: ignore[union-attr]
        lambda text: die() if "alembic_version SET" in text else None
    )
    store._prepare()


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_a_file_is_migrated_while_a_plan_is_checked(place: str) -> None:
    """The mode that stores bots alone begins when a database is open."""
    write_former(place)
    with storing_only_bots(), Store.open(place) as store:
        assert store.migration is not None


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_a_killed_migration_leaves_the_former_file(place: str) -> None:
    """After SIGKILL in the middle the file has its former version and rows, and opens later."""
    write_former(place)
    before = rows_of(place)
    process = get_context("fork").Process(target=_migrate_and_die, args=(place,))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    assert version_of(place) == "0100"
    Store.open(place).close()
    assert version_of(place) == HEAD
    assert rows_of(place) == before


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_a_file_in_play_is_not_migrated(place: str) -> None:
    """While a run, a job or a server of the former program holds its lock the file stays."""
    write_former(place)
    with Store.open(f"{place}.other") as other:
        for take in (other.run_lock, other.job_lock):
            locks = take()
            Path(f"{place}.locks").unlink(missing_ok=True)
            os.link(f"{place}.other.locks", f"{place}.locks")
            assert locks.try_acquire(7)
            with pytest.raises(InUse, match=f"process {os.getpid()} uses it"):
                Store.open(place)
            locks.close()
    Path(f"{place}.locks").unlink()
    with shown_by_server(place), pytest.raises(InUse, match=f"process {os.getpid()} uses it"):
        Store.open(place)
    assert version_of(place) == "0100"


def test_a_server_is_migrated_on_request(place: str) -> None:
    """Commands refuse an older database of a server and name the one that migrates it."""
    if "://" not in place:
        return
    with Store.open(place) as store:
        play_all(store, new_run(store, boards="6x7"), add_bots(store), 2)
    undo_plies(place)
    for name, kind in (("boards", "text"), ("budget", "text"), ("opening_plies", "integer")):
        execute_sql(place, f"ALTER TABLE divisions ADD COLUMN {name} {kind}")
    for name in ("openings", "fixed_opening", "adjudicate"):
        execute_sql(place, f"ALTER TABLE divisions ADD COLUMN {name} integer")
    execute_sql(place, "ALTER TABLE jobs DROP COLUMN started_at")
    execute_sql(place, "ALTER TABLE runs DROP COLUMN result")
    execute_sql(place, "ALTER TABLE pairs RENAME COLUMN stalls TO aborts")
    execute_sql(place, "ALTER INDEX ix_pairs_stalled RENAME TO ix_pairs_aborted")
    call_version(place, "0100")
    for open_it in (Store.open, Store.open_to_read, Store.follow):
        with pytest.raises(Outdated, match=r"0100, here .*`ladder doctor --upgrade`"):
            open_it(place)
    with Store.open(place, upgrade=True) as store:
        assert store.migration is not None
        assert store.migration.copy is None
        assert sum(1 for _ in store.games.stream()) == 4
    check_models(place)


def undo_plies(place: str) -> None:
    """Undo the migration from 0101, without its index."""
    execute_sql(place, "DROP INDEX ix_pairs_counts")
    for name in ADDED:
        execute_sql(place, f"ALTER TABLE pairs DROP COLUMN {name}")
    execute_sql(place, "CREATE INDEX ix_pairs_counts ON pairs (division_id)")


@pytest.mark.slow
def test_pairs_get_the_plies_of_their_games(place: str) -> None:
    """Of both games, of the only game against a person, and none where nothing was played."""
    with Store.open(place) as store:
        revisions = add_bots(store)
        run = new_run(store, boards="6x7")
        play_all(store, run, revisions, 3)
        store.plays.add(new_play(revisions[0]))
        store.pairs.plan(run.id, 1, maker(revisions))
    query = "SELECT first_plies, second_plies FROM pairs ORDER BY id"
    before = execute_sql(place, query)
    assert [pair.count(None) for pair in before] == [0, 0, 0, 1, 2]
    undo_plies(place)
    call_version(place, "0101")
    with Store.open(place, upgrade=True) as store:
        assert list(store.audit.outcomes()) == []
    assert execute_sql(place, query) == before
    check_models(place)


@pytest.mark.parametrize(
    ("version", "error", "words"),
    [
        ("0024", Outdated, r"while release 0\.2\.0 was developed .*open it once with 0\.2\.0"),
        ("0099", Outdated, r"database version 0099, here"),
        (NEXT, TooNew, rf"newer version .*\(database version {NEXT}, here \d+\): update"),
        ("9999", TooNew, r"newer version .*\(database version 9999, here \d+\): update"),
    ],
)
def test_other_versions_are_refused(
    place: str, version: str, error: type[Exception], words: str
) -> None:
    """One sentence names both versions and what to do."""
    Store.open(place).close()
    call_version(place, version)
    for open_it in (Store.open, Store.open_to_read, Store.follow):
        with pytest.raises(error, match=words):
            open_it(place)


@pytest.mark.sqlite_file
def test_a_condition_of_a_newer_version_is_not_called_damage(place: str) -> None:
    """A new condition needs no migration, so an older program may meet one."""
    with Store.open(place) as store:
        new_run(store)
        key = '{"boards":"6x7","budget":{"time_ms":100},"first_move":3,"opening_plies":0}'
        execute_sql(place, "UPDATE divisions SET key = ?", [key])
        with pytest.raises(TooNew, match=r"does not know \(first_move\): update"):
            store.divisions.all()
        with pytest.raises(TooNew, match="first_move"):
            store.audit.find_damage()


@pytest.mark.sqlite_file
def test_a_missing_column_is_not_called_damage(place: str) -> None:
    """A file of this version with other tables was written by another revision of the program."""
    with Store.open(place) as store:
        execute_sql(place, "ALTER TABLE runs DROP COLUMN note")
        with pytest.raises(Outdated, match=r"has other tables than this version .*no such column"):
            store.runs.find()
