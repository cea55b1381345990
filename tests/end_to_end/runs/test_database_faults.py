"""What becomes of a run when its database cannot be used: real files, real processes.

Each fault must end in one sentence with the remedy and the exit code of bad input; when it is
lifted, the same command must resume from what was stored.
"""

import io
import resource
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ladder.cli.app import parser
from ladder.cli.main import run_command
from tests.db.disks import fill, small_disk
from tests.end_to_end.conftest import Done, Ladder
from tests.end_to_end.traces import QUICK_ALONE, faults_of, lines_of, query
from tests.support.instant_workforce import InstantWorkforce
from tests.support.shared import made_once

Begin = Callable[[], list[object]]
GAMES = 30
PUZZLE = '{"board":"4x4","moves":"010101","answer":0,"value":"win","distance":1,"theme":"t"}\n'
WORDS = ("run", *QUICK_ALONE, "--seed", "1", "--games", str(GAMES))


def assert_told(done: Done, *words: str) -> None:
    """One sentence on stderr, with these words in it, exit code 2 and no traceback."""
    assert done.code == 2, done.err
    assert "Traceback" not in done.err
    sentences = [line for line in done.err.splitlines() if line.startswith("ladder: ")]
    assert len(sentences) == 1, done.err
    for word in words:
        assert word in sentences[0]


def assert_goes_on(ladder: Ladder, before: list[object]) -> None:
    """Complete the run with the same command."""
    assert_complete(ladder, ladder(*WORDS), before)


def assert_complete(ladder: Ladder, done: Done, before: list[object]) -> None:
    """Every game of the run is stored, and those from before are kept."""
    assert done.code == 0, done.err
    after = lines_of(ladder.folder)
    assert len(after) == GAMES
    assert [game for game in after if game in before] == before
    assert faults_of(ladder.folder) == []


@pytest.fixture(scope="session")
def interrupted() -> Path:
    """Return a database with an interrupted run of eight games."""

    def make(folder: Path) -> None:
        done = Ladder(folder).stock()("run", *QUICK_ALONE, "--seed", "1", "--games", "8")
        assert done.code == 0, done.err
        change(folder, "update runs set status = 'interrupted'")

    return made_once("interrupted", make) / "ladder.db"


@pytest.fixture(scope="session")
def exported(interrupted: Path) -> str:
    """Return the games of the interrupted run as JSON Lines."""
    done = Ladder(interrupted.parent)("export")
    assert done.code == 0, done.err
    return done.out


@pytest.fixture
def begin(ladder: Ladder, interrupted: Path) -> Begin:
    """Put an interrupted run of some games into the folder; tells these games."""

    def put() -> list[object]:
        shutil.copy(interrupted, ladder.folder)
        return list(lines_of(ladder.folder))

    return put


def change(folder: Path, *statements: str) -> None:
    """Change a database as another program would."""
    with closing(sqlite3.connect(folder / "ladder.db", timeout=30)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.slow
def test_a_run_on_a_full_disk_stops_and_resumes(ladder: Ladder, begin: Begin) -> None:
    """A run on a disk that becomes full must stop with the reason, and resume with more room."""
    with small_disk(ladder.folder, mib=3):
        before = begin()
        filler = ladder.folder / "filler"
        fill(filler)
        assert_told(ladder(*WORDS), "cannot be written", "disk")
        filler.unlink()  # without room for its shared memory SQLite cannot even read
        assert lines_of(ladder.folder)[: len(before)] == before
        assert_goes_on(ladder, before)


@contextmanager
def failing_writes(beyond: int) -> Iterator[None]:
    """Let writes beyond this size of a file fail in this process.

    SQLite reports it as it reports an error of the disk (EIO), which no test can cause.
    """
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (beyond, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.slow
def test_a_run_on_a_failing_disk_stops_and_resumes(
    ladder: Ladder,
    begin: Begin,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A run whose write fails in the middle must say so, keep its games, and resume later."""
    before = begin()
    monkeypatch.chdir(ladder.folder)
    with failing_writes(beyond=128 << 10):
        code = run_command([*WORDS], InstantWorkforce())
    assert_told(Done(code, *capsys.readouterr()), "disk I/O error", "check the disk")
    stored = lines_of(ladder.folder)
    assert [game for game in stored if game in before] == before
    assert len(before) < len(stored) < GAMES
    assert_goes_on(ladder.instant(), list(stored))


@pytest.mark.slow
def test_a_run_without_permission_to_write_leaves_the_games(ladder: Ladder, begin: Begin) -> None:
    """A run must report the missing permission and leave the games as they are."""
    before = begin()
    files = [path for path in ladder.folder.iterdir() if path.is_file()]
    for path in files:
        path.chmod(0o444)
    ladder.folder.chmod(0o555)
    ladder.heeds_permissions = True
    done = ladder(*WORDS)
    ladder.heeds_permissions = False
    ladder.folder.chmod(0o755)
    for path in files:
        path.chmod(0o644)
    assert_told(done, "cannot be written")
    assert_goes_on(ladder.instant(), before)


@pytest.mark.slow
def test_a_run_waits_for_a_database_that_another_program_locks(
    ladder: Ladder, begin: Begin
) -> None:
    """A run waits while another program holds the lock, and then finishes."""
    before = begin()
    with closing(sqlite3.connect(ladder.folder / "ladder.db", isolation_level=None)) as other:
        other.execute("begin immediate")
        process = ladder.start(*WORDS)
        time.sleep(1)
        assert process.poll() is None
        other.execute("rollback")
        done = ladder.finish(process)
    assert_complete(ladder, done, before)


SHORT = ("--boards", "4x4", "--opening-plies", "1", "--simulations", "1", "--seed", "1")
COMMANDS: dict[str, tuple[str, ...]] = {
    # every command that opens a database, with words that have it do so
    "run": (*WORDS[1:],),
    "nightly": ("exec:./nothing", "--games", "2", *SHORT),
    "match": ("random", "stupid", "--games", "2", *SHORT),
    "gate": ("random", "--against", "stupid", "--max-games", "2", *SHORT),
    "select": ("random", "stupid", "--max-games", "2", *SHORT),
    "tune": (
        "builtin:v4", "--param", "c=0.5..1", "--games", "2", "--pairs", "1", "--max-games", "2",
        *SHORT,
    ),
    "bisect": ("builtin:random", "--good", "HEAD~1", "--bad", "HEAD", "--max-games", "2", *SHORT),
    "compete": ("random", "stupid", "result.txt", "1"),
    "report": ("--html", "report.html"),
    "export": ("-o", "out.jsonl"),
    "import": ("games.jsonl",),
    "play": ("random",),
    "games": ("--upsets",),
    "replay": ("1",),
    "analyze": ("--nodes", "1"),
    "doctor": ("--repair",),
    "runs": (),
    "runs show": ("1",),
    "runs delete": ("1",),
    "bots list": (),
    "bots show": ("random",),
    "bots note": ("random", "a word"),
    "bots diff": ("random", "stupid"),
    "bots add": ("other", "builtin:random"),
    "bots add-all": (".", "--pattern", "*.so"),
    "bots check": ("random",),
    "bots retire": ("random",),
    "bots unretire": ("random",),
    "bots rename": ("random", "other"),
    "bots delete": ("random",),
    "bots extract": ("random", "out"),
    "suite make": ("suite.jsonl", "--count", "1", "--boards", "4x4", "--stored"),
    "suite run": ("random", "suite.jsonl"),
    "queue add": ("match", "random", "stupid", "--games", "2", *SHORT),
    "queue list": (),
    "queue cancel": ("1",),
}  # fmt: skip
ELSEWHERE = {
    "serve",  # goes on, and shows on its pages what is wrong
    "queue work",  # goes on
    "train c4ai", "train value",  # open it after the training, to register the player
}  # fmt: skip
INDIFFERENT = (
    "match", "select", "tune", "bisect", "nightly", "compete", "play", "suite run", "bots add-all",
    *(name for name in COMMANDS if name.startswith("queue ")),
)  # fmt: skip
"""Commands that read no stored game, so that damage of games means nothing to them."""
LOOKING = ("report", "games", "replay", "export", "runs", "bots list", "bots show", "queue list")


def commands_with_a_database() -> Iterator[str]:
    """Return the commands that have the option --db."""

    def walk(command: Any, words: tuple[str, ...]) -> Iterator[str]:
        for name, below in getattr(command, "commands", {}).items():
            yield from walk(below, (*words, name))
        if any(option.name == "db" for option in command.params):
            yield " ".join(words)

    return walk(parser(), ())


def with_rubbish(table: str) -> Callable[[Path], None]:
    """Damage that makes the first page of a table rubbish."""

    def damage(database: Path) -> None:
        pages = dict(query(database.parent, "select name, rootpage from sqlite_master"))
        page = pages[table]
        with database.open("r+b") as file:
            file.seek((page - 1) * 4096)
            file.write(Random(page).randbytes(4096))

    return damage


def with_values(*statements: str) -> Callable[[Path], None]:
    """Damage that leaves the pages sound, as single flipped bits do."""
    return lambda database: change(database.parent, *statements)


def cut(database: Path) -> None:
    """Leave the first half of the file alone."""
    content = database.read_bytes()
    database.write_bytes(content[: len(content) // 2])


DAMAGES: dict[str, Callable[[Path], None]] = {
    "half of the file": cut,
    "JSON of bots": with_values("update revisions set files = '{' || files"),
    "page of games": with_rubbish("games"),
}
ALWAYS = ("half of the file", "JSON of bots")
"""Damages that `make test` tries; `make test-slow` tries the others."""


def test_all_commands_with_a_database_are_tested_on_damage() -> None:
    """A new command that takes --db must stand in the list of those that meet damage."""
    assert {*commands_with_a_database()} == {*COMMANDS, *ELSEWHERE}


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [pytest.param(each, marks=() if each in ALWAYS else pytest.mark.very_slow) for each in DAMAGES],
)
def test_every_command_on_a_damaged_file_ends_well_or_in_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    interrupted: Path,
    exported: str,
    damage: str,
) -> None:
    """Commands that only read leave the file as it is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LADDER_DB", raising=False)
    monkeypatch.setenv("LADDER_DEBUG", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    database = tmp_path / "ladder.db"
    for name, words in COMMANDS.items():
        if damage == "page of games" and name in INDIFFERENT:
            continue
        for path in tmp_path.iterdir():
            # SQLite removes the last command's log when its connection is collected.
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        (tmp_path / "games.jsonl").write_text(exported)
        (tmp_path / "suite.jsonl").write_text(PUZZLE)
        shutil.copy(interrupted, database)
        DAMAGES[damage](database)
        before = database.read_bytes()
        with monkeypatch.context() as patch:
            if name == "doctor":
                patch.setenv("LADDER_CACHE", str(tmp_path / "cache"))  # quick to measure
            code = run_command([*name.split(), *words], InstantWorkforce())
        done = Done(code, *capsys.readouterr())
        assert "Traceback" not in done.err, (name, done.err)
        assert done.code in ((0, 1, 2) if name == "doctor" else (0, 2, 3, 4)), (name, done)
        if done.code == 2:
            sentences = [line for line in done.err.splitlines() if line.startswith("ladder: ")]
            assert len(sentences) == 1, (name, done.err)
        if name in LOOKING:
            assert database.read_bytes() == before, name
        if damage == "half of the file" and name not in ("bisect", "nightly", "bots add-all"):
            assert done.code == 2, (name, done)
            assert "is damaged" in done.err, (name, done.err)


@pytest.mark.slow
def test_a_missing_folder_is_named_and_not_made(ladder: Ladder) -> None:
    """A folder that is not there must be named, and not be made."""
    words = ("run", "--bots", "random,stupid", "--db", "nowhere/ladder.db")
    assert_told(ladder(*words), "there is no folder", "nowhere")
    assert list(ladder.folder.iterdir()) == []
