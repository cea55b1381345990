"""A real command line in a folder of its own."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest

from tests.support.command_server import CommandServer, ForkedCommand
from tests.support.postgresql import EMPTY, shared_server, why_none
from tests.support.shared import made_once

ROOT = Path(__file__).resolve().parents[2]
FAKE_BOTS = ROOT / "tests" / "fake_bots"
SERVER = CommandServer()
STOCKED = "stocked"
"""The database on a server that `Ladder.stock` copies."""
PLAYING = {"run", "match", "gate", "select", "tune", "bisect"}
"""Commands that start a worker process for each processor unless `--concurrency` is given."""
Command = ForkedCommand | subprocess.Popen[str]
"""A started command."""


@dataclass
class Done:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


class Ladder:
    """Runs `ladder` commands in a folder."""

    def __init__(self, folder: Path, url: str | None = None) -> None:
        """Use the database with this URL, or by default a file in the folder."""
        self.folder = folder
        self.db = url or str(folder / "ladder.db")
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("LADDER_DB")},
            # Bots registered as `python3` start without a manager of versions, a script of its own.
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "LADDER_DEBUG": "1",
            **({} if url is None else {"LADDER_DB": url}),
        }
        self.heeds_permissions = False
        """Whether file permissions bind the commands, even when the tests run as root."""
        self.all_processors = False
        """Whether commands play on all processors, and not one pair at a time, unless they say."""
        self.entry = "ladder.cli.main:main"
        """The function that runs commands in forks."""
        self.started: list[Command] = []

    def _with_one_worker(self, words: tuple[object, ...]) -> tuple[object, ...]:
        """Return a command that starts one worker unless it says otherwise: each costs a second."""
        says = {"--concurrency", "--cluster", "--help"} & {*words}
        if self.all_processors or says or not words or words[0] not in PLAYING:
            return words
        return (*words, "--concurrency", "1")

    def start(self, *words: object, stdin: int = subprocess.DEVNULL) -> ForkedCommand:
        """Start a command in a session of its own, as a fork of the command server."""
        words = self._with_one_worker(words)
        process = SERVER.start(words, self.folder, self.environment, stdin=stdin, entry=self.entry)
        self.started.append(process)
        return process

    def instant(self) -> Self:
        """Let commands play pairs at random themselves, without workers and bots, from now on."""
        self.entry = "tests.support.instant_workforce:main_with_instant_workers"
        return self

    def stock(self) -> Self:
        """Replace the database by one with the built-in players and the bot `steady`."""
        if "://" in self.db:
            made_once("stocked-on-a-server", _stock_server)
            shared_server().replace(self.db, STOCKED)
        else:
            shutil.copy(made_once("stocked", _stock) / "ladder.db", self.folder)
        return self

    @contextmanager
    def slow(self) -> Iterator[None]:
        """Let `steady` take 30 ms per move in commands that run during the block."""
        scratch = self.folder / "scratch"
        scratch.mkdir(exist_ok=True)
        self.environment["TMPDIR"] = str(scratch)
        (scratch / "slow").touch()
        yield
        (scratch / "slow").unlink()

    def serve(self, *words: object) -> tuple[ForkedCommand, str]:
        """Start `serve` on a free port; return it and its address as soon as it answers."""
        site = self.start("serve", "--port", 0, *words)
        while not (lines := site.printed_lines()):
            assert site.poll() is None, site.communicate()
            time.sleep(0.02)
        return site, lines[0].strip()

    def start_fresh(self, *words: object) -> "subprocess.Popen[str]":
        """Start a command in an interpreter and a session of its own."""
        command = [sys.executable, "-c", "from ladder.cli.main import main; main()"]
        process = subprocess.Popen(
            [*command, *map(str, self._with_one_worker(words))],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def __call__(self, *words: object, timeout: float = 120) -> Done:
        """Run a command to its end as a fork of the command server, without waiting for imports."""
        done = SERVER.run(
            self._with_one_worker(words),
            self.folder,
            self.environment,
            timeout=timeout,
            heeds_permissions=self.heeds_permissions,
            entry=self.entry,
        )
        return Done(*done)

    def fresh(self, *words: object, timeout: float = 120) -> Done:
        """Run a command to its end in an interpreter of its own."""
        return self.finish(self.start_fresh(*words), timeout=timeout)

    def run_with_input(self, text: str, *words: object, timeout: float = 120) -> Done:
        """Run a command that reads this text from its standard input."""
        process = self.start(*words, stdin=subprocess.PIPE)
        out, err = process.communicate(text, timeout=timeout)
        return Done(process.wait(), out, err)

    def finish(self, process: Command, timeout: float = 120) -> Done:
        """Wait for a started command."""
        out, err = process.communicate(timeout=timeout)
        assert process.returncode is not None
        return Done(process.returncode, out, err)

    def interrupt(
        self, process: Command, number: int = signal.SIGINT, *, group: bool = False
    ) -> Done:
        """Send a signal to the command, or to its whole process group, and wait for its end."""
        if group:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        return self.finish(process, timeout=30)


@pytest.fixture(scope="session", autouse=True)
def end_the_server() -> Iterator[None]:
    """Leave the server of commands, which ends with its last client."""
    yield
    SERVER.close()


def _stock(folder: Path) -> None:
    shutil.copy(FAKE_BOTS / "bot.py", folder)
    add_steady(Ladder(folder))


def _stock_server(_: Path) -> None:
    server = shared_server()
    server.execute(f"CREATE DATABASE {STOCKED} TEMPLATE {EMPTY}")
    add_steady(Ladder(made_once("stocked", _stock), server.url(STOCKED)))


def add_steady(runner: Ladder) -> None:
    """Register `steady`, whose file is in the folder."""
    done = runner("bots", "add", "steady", f"exec:{sys.executable} -I -S bot.py slows-down")
    assert done.code == 0, done.err


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test marked `both_databases` with a file, and in `make test-slow` with a server.

    `tests/db` runs every query on both in any case.
    """
    if metafunc.definition.get_closest_marker("both_databases") is not None:
        server = pytest.param("postgresql", marks=pytest.mark.very_slow)
        metafunc.parametrize("ladder", ["sqlite", server], indirect=True)


@pytest.fixture
def ladder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ladder]:
    """Make a `Ladder` in an empty folder; kill what the test leaves running."""
    with contextlib.ExitStack() as stack:
        url = None
        if getattr(request, "param", "sqlite") == "postgresql":
            url = stack.enter_context(new_database())
        runner = Ladder(tmp_path, url)
        yield runner
        for process in runner.started:
            if process.poll() is None:
                process.kill()
                process.communicate()


@contextmanager
def new_database() -> Iterator[str]:
    """Make an empty database on the tests' server and yield its URL; skip without a server."""
    reason = why_none()
    if reason is not None:
        pytest.skip(reason)
    with shared_server().database(EMPTY) as url:
        yield url


@pytest.fixture
def other(ladder: Ladder) -> str:
    """Return the `--db` value of a second database, not created yet."""
    return str(ladder.folder / "other.db")
