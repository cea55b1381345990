"""Databases of former versions are converted, with all that they hold."""

import hashlib
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from db.errors import DatabaseError, Outdated, TooNew
from db.records.bots import HUMAN
from db.records.restart import Restart
from db.store import Store
from engine.result import Result, Termination
from ladder.match.registry.builtins import sync_builtins
from ladder.results.standings.division import standings_of_division
from tests.db.making import maker, new_play, play_all
from tests.db.migrations.test_db_migrations import check_models
from tests.support.former import FOLDER, call_version, write_former
from tests.support.sql import execute_sql

BOT = Path(__file__).parents[2] / "fake_bots" / "bot.py"
LAST_GAME = 90_000


def check_sound(store: Store, version: str) -> None:
    """Check that the database is sound and that its standings are those of the former program."""
    audit = store.audit
    assert audit.integrity() == []
    assert [*audit.bots(), *audit.runs(), *audit.pairs(), *audit.games(), *audit.outcomes()] == []
    reports = json.loads((FOLDER / "reports.json").read_text())[version]
    assert len(reports) >= 2
    for label, before in reports.items():
        now = standings_of_division(store, store.divisions.find(label))
        assert (now.games, now.distinct_games) == (before["games"], before["distinct_games"])
        for bot, old in zip(now.bots, before["bots"], strict=True):
            assert (bot.name, bot.wins, bot.draws, bot.losses) == (
                *(old["name"], old["wins"], old["draws"], old["losses"]),
            )
            assert (bot.elo, bot.error95) == pytest.approx((old["elo"], old["error95"]), abs=0.06)
            old["forfeits"].pop("pondering")
            assert dict(bot.forfeits) == old["forfeits"]
            assert bot.max_move_ms == pytest.approx(old["max_move_ms"], abs=0.06)


@pytest.mark.slow
@pytest.mark.sqlite_file
@pytest.mark.parametrize("version", ["0019", "0024"])
def test_a_former_database_keeps_its_standings(place: str, version: str) -> None:
    """Every list is that of the former program, keys go on, and the tables are the models'."""
    write_former(place, version)
    execute_sql(place, "UPDATE games SET termination = 'pondering' WHERE termination = 'timeout'")
    # as after games that were deleted
    execute_sql(place, "UPDATE sqlite_sequence SET seq = ? WHERE name = 'games'", [LAST_GAME])
    ((runs,),) = execute_sql(place, "SELECT count(*) FROM runs")
    Store.open(place).close()
    check_models(place)
    with Store.open(place) as store:
        check_sound(store, version)
        assert len(store.runs.find()) == runs + 2 * (version == "0019")
        assert sync_builtins(store) == []
        run = store.runs.find()[-1]
        revisions = [bot.revision.id for bot in store.bots.all()][:4]
        planned = store.pairs.planned(run.id)
        store.pairs.plan(run.id, 1, maker(revisions))
        assert len(store.pairs.planned(run.id)) == len(planned) + 1
        newest = max(game.id for game in store.games.stream())
        play_all(store, run, revisions, 2)
        assert min(game.id for game in store.games.stream() if game.id > newest) > LAST_GAME


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_a_copy_of_the_former_file_stays_beside_it(place: str, tmp_path: Path) -> None:
    """The copy is the file before its conversion, and a second one replaces no copy."""
    write_former(place, "0024")
    Store.open(place).close()
    copy = Path(f"{place}.backup-0024")
    (version,) = execute_sql(str(copy), "SELECT version_num FROM alembic_version")[0]
    assert version == "0024"
    assert not list(tmp_path.glob("*-wal"))
    shutil.copy(copy, place)
    Store.open(place).close()
    assert Path(f"{place}.backup-0024-2").exists()


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_what_left_its_tables_is_kept(place: str, tmp_path: Path) -> None:
    """Games of people and bots' files that are unchanged are converted."""
    write_former(place, "0019")
    bots = tmp_path / "bots"
    bots.mkdir()
    shutil.copy(BOT, bots)
    before = "replace(launch, '/home/ann/bots', ?)"
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute(f"UPDATE revisions SET launch = {before}", (str(bots),))  # noqa: S608
        ((files, key),) = connection.execute(
            "SELECT files, revisions.id FROM revisions JOIN bots ON bots.id = bot_id "
            "WHERE name = 'full'"
        ).fetchall()
        known = json.loads(files) | {"bot.py": _digest(bots / "bot.py")}
        changed = "UPDATE revisions SET files = ? WHERE id = ?"
        connection.execute(changed, (json.dumps(known), key))
    with Store.open(place) as store:
        full, center = (store.bots.get(name).revision.launch for name in ("full", "center"))
        assert full.archive is not None
        assert [file.path for file in store.archives.manifest(full.archive).files] == ["bot.py"]
        assert (full.program, full.can_play) == ("/usr/bin/env", True)
        assert (center.archive, center.can_play) == (None, False)  # its file is gone
        plays = [game for game in store.games.stream() if HUMAN in (game.first, game.second)]
        assert [game.first == HUMAN for game in plays] == [True, False]
        assert (plays[1].result, plays[1].termination) == (Result.LOSS, Termination.CRASH)
        assert store.bots.get(HUMAN).retired_at is not None
        assert store.plays.add(new_play(revision=1)) > plays[1].id


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_a_hosted_bot_is_started_from_its_stored_files(place: str, tmp_path: Path) -> None:
    """The host gets the agent's file alone, any folder is stored, and games start anew."""
    write_former(place, "0019")
    agent = tmp_path / "engine" / "agent.py"
    agent.parent.mkdir()
    agent.write_text("def agent(o, c):\n    return 0\n")
    launch = {
        "command": [str(tmp_path), "engine/agent.py"],
        "folder": str(tmp_path),
        "host": "kaggle",
        "python": "/usr/bin/python3",
    }
    files = {"/usr/bin/python3": "3.11.7", "engine/agent.py": _digest(agent)}
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute(
            "UPDATE revisions SET launch = ?, files = ? "
            "WHERE bot_id = (SELECT id FROM bots WHERE name = 'full')",
            (json.dumps(launch), json.dumps(files)),
        )
    with Store.open(place) as store:
        full = store.bots.get("full").revision.launch
        assert full.archive is not None
        stored = store.archives.manifest(full.archive).files
        assert [file.path for file in stored] == ["engine/agent.py"]
        assert (full.command, full.program) == (("engine/agent.py",), None)
        assert full.restart is Restart.GAME


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_a_failed_conversion_leaves_the_database_as_it_was(place: str) -> None:
    """A conversion that breaks half-way is undone as a whole, and succeeds later."""
    write_former(place, "0024")
    execute_sql(place, "UPDATE games SET result = 'maybe' WHERE id = 200")
    with pytest.raises((DatabaseError, ValueError)):
        Store.open(place)
    assert execute_sql(place, "SELECT version_num FROM alembic_version") == [("0024",)]
    ((result,),) = execute_sql(place, "SELECT result FROM games WHERE id = 200")
    assert result == "maybe"
    execute_sql(place, "UPDATE games SET result = 'win' WHERE id = 200")
    Store.open(place).close()


@pytest.mark.parametrize(
    ("version", "error", "words"),
    [
        ("0018", Outdated, r"too old to be converted \(database version 0018, here 0100"),
        ("0025", TooNew, r"another version .*\(database version 0025, here 0100\): update"),
        ("9999", TooNew, r"another version .*\(database version 9999, here 0100\): update"),
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


def test_a_former_version_on_a_server_is_refused(place: str) -> None:
    """Only files are converted; the sentence says how games get here."""
    if "://" in place:
        Store.open(place).close()
        call_version(place, "0024")
        for open_it in (Store.open, Store.open_to_read, Store.follow):
            with pytest.raises(Outdated, match=r"0024, here 0100.*export its games"):
                open_it(place)
