"""Conversion of the databases of versions 0019 to 0024, written while 0.2.0 was developed.

The former tables lie in the copy, which is attached meanwhile. All rows keep their keys.
"""

import hashlib
import json
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, insert, inspect, select, text, update

from bots.catalogue import parse_player
from bots.errors import BotsError
from db.database import Database
from db.migrations import FORMER, create_tables, stored_version
from db.models import METADATA, PAIRS, REVISIONS, RUNS, Pair, Revision, Run
from db.outcomes import OF_GAME, outcome_of
from db.queries.archives import store_archive
from db.queries.plays import insert_play
from db.records.archives import ArchivedFile, Manifest, PackedArchive
from db.records.games import GameRecord, NewPlay, SideSums
from db.records.restart import Restart
from engine.position import parse_moves
from engine.result import Result, Termination

_DIGEST = re.compile("[0-9a-f]{16}")
BATCH = 2000
"""Pairs that are written in one statement."""
_PAIR = (
    *("id", "run_id", "stream", "number", "a_revision_id", "b_revision_id"),
    *("board", "board_class", "opening", "seed", "status", "aborts", "finished_at"),
)
"""Columns that pairs have had all along."""


def convert_file(database: Database) -> None:
    """Replace the tables of a file of a former version by the current ones, with their rows.

    A copy stays beside the file. All in one transaction, so that a failure changes nothing.
    """
    driver: Any = database.writer.connection.dbapi_connection  # SQLAlchemy would begin one
    driver.execute("PRAGMA foreign_keys=OFF")  # as tables are dropped
    try:
        with database.writing() as connection:
            version = stored_version(connection, database.place)
            if version in FORMER:  # no other process was faster
                _convert(connection, str(database.path), version)
    finally:
        if any(row[1] == "former" for row in driver.execute("PRAGMA database_list")):
            driver.execute("DETACH former")
        driver.execute("PRAGMA foreign_keys=ON")


def _convert(connection: Connection, path: str, version: str) -> None:
    connection.exec_driver_sql("ATTACH ? AS former", (_copy_file(path, version),))
    schema = inspect(connection)
    former = {
        name: {column["name"] for column in schema.get_columns(name, "former")}
        for name in schema.get_table_names("former")
    }
    for name in former:
        connection.exec_driver_sql(f"DROP TABLE {name}")
    create_tables(connection)
    for table in METADATA.sorted_tables:
        if table is PAIRS:
            _copy_pairs(connection)
        elif table.name in former:
            columns = ", ".join(name for name in former[table.name] if name in table.c)
            connection.exec_driver_sql(
                f"INSERT INTO {table.name} ({columns}) "  # noqa: S608 - names of our own
                f"SELECT {columns} FROM former.{table.name}"
            )
    for column in ("games.termination", "pairs.first_termination", "pairs.second_termination"):
        of, name = column.split(".")
        connection.exec_driver_sql(
            f"UPDATE {of} SET {name} = 'timeout' WHERE {name} = 'pondering'"  # noqa: S608
        )
    # Keys go on where those of the former tables ended.
    connection.exec_driver_sql("DELETE FROM sqlite_sequence")
    names = ", ".join(f"'{name}'" for name in METADATA.tables)
    connection.exec_driver_sql(
        "INSERT INTO sqlite_sequence SELECT name, seq FROM former.sqlite_sequence "  # noqa: S608
        f"WHERE name IN ({names})"
    )
    _name_behaviours(connection)
    if version < "0023":
        _pack_bots(connection)
    if "saved_games" in former:
        _copy_plays(connection)


def _copy_file(path: str, version: str) -> str:
    """Copy a file to ``<file>.backup-<version>``, or ``...-2`` if that exists; return its path."""
    target, count = f"{path}.backup-{version}", 1
    while os.path.exists(target):
        count += 1
        target = f"{path}.backup-{version}-{count}"
    unfinished = target + ".tmp"
    try:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(unfinished)) as copy:
            source.backup(copy)
        os.replace(unfinished, target)
    finally:
        if os.path.exists(unfinished):
            os.remove(unfinished)
    return target


def _copy_pairs(connection: Connection) -> None:
    """Copy the pairs, with the outcomes that their games give."""
    pairs = ", ".join(f"pair.{name}" for name in _PAIR)
    games = ", ".join(f"game.{name} AS game_{name}" for name in OF_GAME)
    query = text(
        f"SELECT {pairs}, run.division_id, run.rated, {games} FROM former.pairs AS pair "  # noqa: S608
        "JOIN former.runs AS run ON run.id = pair.run_id "
        "LEFT JOIN former.games AS game ON game.pair_id = pair.id ORDER BY pair.id, game.game"
    )
    with connection.execute(query, execution_options={"yield_per": BATCH}) as rows:
        converted = _with_outcomes(rows.mappings())
        while batch := list(islice(converted, BATCH)):
            connection.execute(insert(PAIRS), batch)


def _with_outcomes(rows: Any) -> Iterator[dict[str, Any]]:
    """Yield pairs by column, from their rows for each game."""
    nothing = dict.fromkeys(column.name for column in Pair)
    for _, own in groupby(rows, key=itemgetter("id")):
        games = list(own)
        pair = nothing | {name: games[0][name] for name in (*_PAIR, "division_id")}
        pair["rated"] = bool(games[0]["rated"])
        if games[0]["game_pair_id"] is not None:
            pair |= outcome_of([{name: row[f"game_{name}"] for name in OF_GAME} for row in games])
        yield pair


def _name_behaviours(connection: Connection) -> None:
    """Make the current revision of each built-in player its behaviour 1.

    A hash of the code that a player imports identified it before, or its number with options that
    it no longer has. Earlier revisions stay apart.
    """
    current = text(
        "SELECT id, content_hash, launch, files FROM revisions WHERE recency = "
        "(SELECT max(recency) FROM revisions AS other WHERE other.bot_id = revisions.bot_id)"
    )
    renamed = {}
    for row in connection.execute(current).all():
        launch, files = json.loads(row.launch), json.loads(row.files)
        is_from_git = launch.get("origin") is not None
        is_own = files.get("behaviour") == "1" or any(name.startswith("bots/") for name in files)
        if is_from_git or not is_own:
            continue
        try:
            version, given = parse_player(launch["player"])
            options = version.resolve_options({**version.options, **given})
        except BotsError:  # a player that these sources lack
            continue
        identity = json.dumps((version.name, options, "1"), sort_keys=True, default=str)
        new = renamed[row.content_hash] = hashlib.sha256(identity.encode()).hexdigest()[:16]
        kept = {name: value for name, value in files.items() if name.startswith("option ")}
        values = {"content_hash": new, "files": {"behaviour": "1", **kept}}
        connection.execute(update(REVISIONS).where(Revision.id == row.id).values(values))
    for run_id, settings in connection.execute(text("SELECT id, settings FROM runs")).all():
        stored = json.loads(settings)
        bots = stored.get("bots", {})
        stored["bots"] = {name: renamed.get(content, content) for name, content in bots.items()}
        if stored["bots"] != bots:
            changed = update(RUNS).where(Run.id == run_id).values(settings=stored)
            connection.execute(changed)


def _pack_bots(connection: Connection) -> None:
    """Store the files of foreign bots that still are as they were registered.

    The others cannot play until they are added again; a launch without files says so.
    """
    query = select(Revision.id, Revision.launch, Revision.files).where(Revision.archive.is_(None))
    for row in connection.execute(query).all():
        launch, known = row.launch, row.files
        if launch.player is not None:
            continue
        packed = _pack(Path(launch.folder), known)
        if packed is not None:
            store_archive(connection, packed)
            # The program of its command; that of a host in Python is the interpreter in the launch.
            outside = [name for name in known if os.path.isabs(name) and launch.python is None]
            launch = msgspec.structs.replace(
                launch,
                # the words of a host began with the folder
                command=launch.command[launch.host is not None :],
                program=outside[0] if outside else None,
                # as those that are added now: modules keep state from game to game
                restart=Restart.GAME if launch.host == "kaggle" else launch.restart,
            )
            values = {"launch": launch, "archive": packed.manifest.sha256}
            connection.execute(update(REVISIONS).where(Revision.id == row.id).values(values))


def _pack(folder: Path, known: Mapping[str, str]) -> PackedArchive | None:
    """Return the archive of a bot's files, or None if one is missing or was changed.

    Args:
        folder: the folder in which it was registered.
        known: the first digits of each file's hash by name; programs and options have no hash.

    """
    files = []
    for name, digest in known.items():
        if not _DIGEST.fullmatch(digest) or os.path.isabs(name):
            continue
        path = folder / name
        if ".." in Path(name).parts or not path.is_file():
            return None
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        if not sha256.startswith(digest):
            return None
        size, executable = path.stat().st_size, os.access(path, os.X_OK)
        files.append(ArchivedFile(name, sha256, size, executable))
    manifest = Manifest(tuple(sorted(files, key=lambda file: file.path)))
    return PackedArchive(manifest, folder) if files else None


def _copy_plays(connection: Connection) -> None:
    """Store the games of people, which had a table of their own, as unrated games."""
    rows = connection.exec_driver_sql("SELECT * FROM former.saved_games ORDER BY id")
    for row in rows.mappings().all():
        insert_play(connection, _to_play(row))


def _to_play(row: Mapping[Any, Any]) -> NewPlay:
    return NewPlay(
        revision=row["revision_id"],
        bot_side=row["bot_side"],
        budget=msgspec.json.decode(row["budget"], type=dict[str, int]),
        board=row["board"],
        opening_plies=0,
        seed=row["seed"],
        game=GameRecord(
            swapped=False,
            moves=parse_moves(row["moves"]),
            result=Result(row["result"]),
            termination=Termination(row["termination"]),
            sides=(SideSums(), SideSums()),  # no report reads those of unrated games
            thoughts=row["thoughts"],
            started=row["started_at"],
            duration_us=row["duration_us"],
            detail=row["detail"],
        ),
    )
