"""No text of a database is executed unasked: every stored text is tested, field by field."""

import io
import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from typing import Any

import pytest

from bots.protocol import Budget
from db.models import Base
from db.records.bots import NewBot, NewRevision
from db.records.launch import Launch, Origin
from db.store import Store
from engine.board import Board
from ladder.errors import LadderError
from ladder.match.registry.builtins import sync_builtins
from ladder.match.registry.registered import make_entrants
from ladder.match.specs.compile import compile_entrants
from ladder.match.specs.spec import read_spec
from ladder.runs.budgets import Budgets
from ladder.signals import Stopped
from ladder.tools.play.game import prepare_entrant
from tests.ladder.cli.conftest import Command
from tests.support.data.league import League
from tests.support.instant_workforce import InstantWorkforce

MARK = "stranger"
"""Stands in everything that a stranger has written."""
EXECUTING = {"subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.system"}
READING = (
    ("bots", "show", "guest"),
    ("bots", "list", "--retired", "--json"),
    ("bots", "rename", "guest", "other"),
    ("runs",),
    ("games",),
    ("report", "--pairs"),
    ("replay", "1"),
    ("export", "games.jsonl"),
    ("doctor", "--repair"),
)
SHORT = ("--boards", "4x4", "--opening-plies", "0", "--simulations", "1")
STARTING = (
    ("run", "--new", "--bots", "guest,random", "--games", "2", *SHORT),
    ("match", "guest", "random", "--games", "2", *SHORT),
    ("gate", "guest", "--against", "random", "--max-games", "2", *SHORT),
    ("bots", "check", "guest"),
    ("compete", "guest", "builtin:random", "result.txt", "1"),
    ("play", "guest"),
    ("play", "random", "--hints", "guest"),
)
"""Commands that start the bot, after a warning at which a user can stop them."""
AT_REST = (("bots", "unretire", "guest"),)
"""Commands that start a retired bot after that warning."""
COLUMNS = [
    f"{table.name}.{column.name}"
    for table in Base.metadata.sorted_tables
    for column in table.columns
    if column.type.python_type is str and (table.name, column.name) != ("revisions", "launch")
]
LEAVES = [
    *(f"launch.{name}" for name in Launch.__struct_fields__ if name != "origin"),
    *(f"launch.origin.{name}" for name in Origin.__struct_fields__),
]
_executed: list[str] | None = None


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if _executed is not None and event in EXECUTING and MARK in repr(arguments):
        _executed.append(f"{event}{arguments}")


sys.addaudithook(_note)


@contextmanager
def watched() -> Iterator[list[str]]:
    """Record every program whose command contains a text of the database."""
    global _executed
    seen = _executed = []
    try:
        yield seen
    finally:
        _executed = None


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database with all kinds of rows and one foreign bot."""
    folder = tmp_path_factory.mktemp("stored")
    (folder / "bot.py").write_text("class Bot:\n    pass\n")
    with League(folder / "ladder.db", "a", "b") as league:
        sync_builtins(league.store)
        league.pairs(league.run(), "a", "b", 2, "1-0", "0-1")
        spec = "python:bot.py:Bot"
        made = read_spec(spec, folder)
        revision = NewRevision(
            made.content_hash, made.launch, ("simulations", "time"), None, made.files
        )
        league.store.bots.add(NewBot("guest", "foreign", spec, revision))
    return folder / "ladder.db"


@pytest.fixture
def evil(tmp_path: Path) -> str:
    """Write a program that leaves a trace when it runs."""
    program = tmp_path / MARK
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'executed'}\n")
    program.chmod(0o755)
    return str(program)


class StoppingAtWarnings(io.StringIO):
    """Standard error of a user who presses Ctrl-C at the warning about an unknown bot."""

    def write(self, text: str) -> int:
        if "you have not registered" in text:
            raise Stopped
        return super().write(text)


@contextmanager
def stopping_at_warnings() -> Iterator[list[str]]:
    """Run commands of a user who has registered no bot; record what is executed of the database."""
    with (
        pytest.MonkeyPatch.context() as environment,
        redirect_stderr(StoppingAtWarnings()),
        watched() as executed,
    ):
        environment.setenv("LADDER_STATE", "/proc/no-such-place")
        yield executed


def write(path: Path, field: str, evil: str) -> None:
    """Put a stranger's word into every row of a text column, or into a leaf of guest's launch."""
    with sqlite3.connect(path) as connection:
        table, _, name = field.partition(".")
        if table == "launch":
            change_launch(connection, "guest", name, evil)
        else:
            where = "where name = 'guest'" if table == "bots" else ""
            connection.execute(
                f"update or ignore {table} set {name} = ? {where}",  # noqa: S608 - names of ours
                (evil,),
            )
    connection.close()


def change_launch(connection: sqlite3.Connection, bot: str, name: str, evil: str) -> None:
    ((revision, text),) = connection.execute(
        "select r.id, launch from revisions r join bots b on b.id = bot_id where name = ?", (bot,)
    )
    launch = json.loads(text)
    if name.startswith("origin."):
        launch["origin"] = dict.fromkeys(Origin.__struct_fields__, "")
        launch["origin"]["place"] = os.path.dirname(evil)
        launch["origin"][name.partition(".")[2]] = evil
    else:
        launch[name] = [evil] if name == "command" else evil
    changed = (json.dumps(launch), revision)
    connection.execute("update revisions set launch = ? where id = ?", changed)


def retire(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("update bots set retired_at = 1 where spec like 'python:%'")
    connection.close()


@pytest.mark.slow
@pytest.mark.parametrize("field", [*COLUMNS, *LEAVES])
def test_no_stored_field_is_executed_unasked(
    ladder: Command, stored: Path, tmp_path: Path, evil: str, field: str
) -> None:
    """No field of a database may be executed before its user was warned and could stop it."""
    about_bots = field.partition(".")[0] in ("bots", "revisions", "launch")
    shutil.copy(stored, tmp_path / "ladder.db")
    shutil.copy(stored.parent / "bot.py", tmp_path)
    write(tmp_path / "ladder.db", field, evil)
    with stopping_at_warnings() as executed:
        if about_bots:
            ladder("bots", "show", "guest")
            ladder(*STARTING[0])
            retire(tmp_path / "ladder.db")
            ladder("bots", "unretire", "guest")
        else:
            ladder("runs")
            ladder("report")
    assert not executed
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("words", [*READING, *STARTING, *AT_REST], ids=" ".join)
def test_no_command_executes_a_stored_interpreter_unasked(
    ladder: Command, stored: Path, tmp_path: Path, evil: str, words: tuple[str, ...]
) -> None:
    """It may be executed only after its user was warned and could stop it."""
    shutil.copy(stored, tmp_path / "ladder.db")
    write(tmp_path / "ladder.db", "launch.python", evil)
    if words in AT_REST:
        retire(tmp_path / "ladder.db")
    with stopping_at_warnings() as executed:
        done = ladder(*words)
    assert not executed
    assert (done.code == 130) == (words not in READING), done.err
    assert not (tmp_path / "executed").exists()


def test_a_program_that_is_executed_is_noted(ladder: Command, stored: Path, tmp_path: Path) -> None:
    """The watch itself must see a stored interpreter that a user lets start."""
    folder = tmp_path / MARK
    folder.mkdir()
    shutil.copy(stored.parent / "bot.py", folder)
    with sqlite3.connect(shutil.copy(stored, tmp_path / "ladder.db")) as connection:
        change_launch(connection, "guest", "folder", str(folder))
        change_launch(connection, "guest", "python", sys.executable)
    connection.close()
    with watched() as executed:
        ladder("bots", "check", "guest")
    assert executed


@pytest.mark.parametrize("field", ["command", "folder", "host", "python"])
def test_a_built_in_player_is_what_this_installation_has(
    stored: Path, tmp_path: Path, evil: str, field: str
) -> None:
    """Whatever stands beside a built-in player's name in a database must start nothing else."""
    with sqlite3.connect(shutil.copy(stored, tmp_path / "ladder.db")) as connection:
        change_launch(connection, "random", field, evil)
    connection.close()
    with Store.open(str(tmp_path / "ladder.db")) as store, watched() as executed:
        row = store.bots.get("random")
        assert MARK in repr(row.revision.launch)
        sides = make_entrants([row], lambda _: Budget(simulations=1))
        compile_entrants(sides.values())
    assert not executed
    assert MARK not in repr(sides["random"].start)


class CompilingWorkforce(InstantWorkforce):
    """Prepares bots as this machine does, and plays at random."""

    def prepare(self, entrants: Any, adjudicated: Any) -> None:
        compile_entrants(entrants.values())


@pytest.mark.slow
def test_a_run_and_a_game_compile_what_this_installation_has(
    ladder: Command, stored: Path, tmp_path: Path, evil: str
) -> None:
    """The kernels of a built-in player must be compiled by no interpreter of a database."""
    with sqlite3.connect(shutil.copy(stored, tmp_path / "ladder.db")) as connection:
        change_launch(connection, "stupid", "python", evil)
    connection.close()
    with watched() as executed:
        words = ("run", "--bots", "stupid,random", "--games", "2", *SHORT)
        done = ladder(*words, workforce=CompilingWorkforce())
        assert done.code == 0, done.err
        with Store.open(str(tmp_path / "ladder.db")) as store:
            prepare_entrant(store, "stupid", Board(4, 4), Budgets({"simulations": 1}))
    assert not executed


def test_a_path_among_the_options_of_a_stored_player_is_not_opened(
    stored: Path, tmp_path: Path
) -> None:
    """A database that names a file as an option must not have it read: a device never ends."""
    file = tmp_path / "weights"
    file.write_text("1,2,3,4,5,6")
    with Store.open(str(shutil.copy(stored, tmp_path / "ladder.db"))) as store:
        launch = Launch(command=(), folder="", player=f"c4ai?weights={file}")
        revision = NewRevision("content", launch, ("depth",))
        row = store.bots.add(NewBot("trained", "c4ai", f"builtin:c4ai?weights={file}", revision))
        assert sync_builtins(store) == []
        with pytest.raises((LadderError, ValueError), match="names a file"):
            make_entrants([row], lambda _: Budget(depth=1))
