"""One setting for the sandbox: whatever starts a foreign bot, a command or a page, must use it."""

import json
import re
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ladder.cli.app import parser
from tests.end_to_end.conftest import FAKE_BOTS, Ladder
from tests.end_to_end.runs.test_cluster import Machines
from tests.end_to_end.traces import query
from tests.ladder.cli.test_commands import walk
from tests.ladder.match.process.test_sandbox import needs_bwrap
from tests.support.data.repositories import commit, repository
from tests.support.hosted import LEGAL, write
from tests.support.waiting import eventually

SHORT = ("--boards", "4x4", "--opening-plies", "0", "--simulations", "1", "--concurrency", "1")
SPEC = "python:bot.py:Bot"
BOT = """
import os
from rules import legal

with open({record!r}, "a") as record:
    record.write(os.environ.get("WHERE", "outside") + "\\n")

class Bot:
    def new_game(self, board, side, seed, budget):
        self.board = board
    def choose(self, moves):
        return legal(self.board, moves)[0]
"""
"""Writes down at its start whether it runs inside the sandbox."""
RAW = """
import os, sys

with open({record!r}, "a") as record:
    record.write(os.environ.get("WHERE", "outside") + "\\n")
os.execv(sys.executable, [sys.executable, "-I", "-S", "stacker.py"])
"""
"""Notes the same, of a bot that is a command."""
SUITE = {
    "board": "6x7",
    "moves": "462525521322326001664565",
    "answer": 4,
    "value": "win",
    "distance": 3,
    "theme": "win in n",
}
PLAY = "0\n1\nhint guest\nquit\n"
STARTING: dict[tuple[str, ...], tuple[tuple[str, ...], int]] = {
    ("bots", "add"): (("guest", SPEC), 0),
    ("bots", "check"): (("guest",), 0),
    ("bots", "add-all"): ((".", "--pattern", "bot.py", "--name", "all", "--spec", SPEC), 0),
    ("run",): (("--bots", "guest,random", *SHORT, "--games", "2"), 0),
    ("match",): (("guest", "random", *SHORT, "--games", "2"), 0),
    ("gate",): (("guest", "--against", "random", *SHORT, "--max-games", "2"), 4),
    ("select",): (("guest", "random", *SHORT, "--max-games", "2"), 4),
    ("tune",): (
        ("exec:env X={x} python3 -I -S raw.py", "--param", "x=0..1", "--games", "8", "--pairs", "1",
         *SHORT, "--boards", "6x7", "--max-games", "2"),
        4,
    ),
    ("bisect",): ((SPEC, "--good", "HEAD~1", "--bad", "HEAD", "--max-games", "2", *SHORT), 4),
    ("nightly",): ((SPEC, "--games", "2", *SHORT), 4),
    ("compete",): ((SPEC, "guest", "result.txt", "1", "--time", "1s"), 0),
    ("suite", "run"): (("guest", "suite.jsonl", "--time", "100ms"), 0),
    ("play",): (("guest", "--time", "1s"), 0),
    ("replay",): (("1", "--rerun", "guest"), 0),
    ("serve",): ((), 0),
    ("worker",): ((), 0),
    ("doctor",): ((), 1),  # this sandbox lets a bot write the database
}  # fmt: skip
"""Every command that starts foreign bots: arguments with which it starts one, and its exit code."""


class Sandbox:
    """A program that notes what it was to start, and tells it where it runs."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "sandbox"
        self.record = folder / "bots"
        self._notes = folder / "started"
        lines = [f'echo "$@" >> {self._notes}', "WHERE=inside", "export WHERE", 'exec "$@"']
        self.program.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        self.program.chmod(0o755)

    def starts(self) -> list[str]:
        """Return the commands that were started in the sandbox since the last call."""
        return self._taken(self._notes)

    def bots(self) -> list[str]:
        """Where the bots since the last look ran: ``inside`` or ``outside``."""
        return self._taken(self.record)

    @staticmethod
    def _taken(file: Path) -> list[str]:
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines


@pytest.fixture
def sandbox(ladder: Ladder, tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """Set in the table of `run` alone, as some write it."""
    made = Sandbox(tmp_path_factory.mktemp("sandbox"))
    write(ladder.folder, rules=LEGAL, bot=BOT.format(record=str(made.record)))
    (ladder.folder / "ladder.toml").write_text(f'[run]\nsandbox = "{made.program}"\n')
    return made


@pytest.mark.very_slow
def test_no_command_starts_a_bot_without_the_sandbox(ladder: Ladder, sandbox: Sandbox) -> None:
    """Whatever starts the bot must start it behind the program that the file names."""
    shutil.copy(FAKE_BOTS / "stacker.py", ladder.folder)
    (ladder.folder / "raw.py").write_text(RAW.format(record=str(sandbox.record)))
    (ladder.folder / "suite.jsonl").write_text(json.dumps(SUITE) + "\n")
    texts = {name: (ladder.folder / name).read_text() for name in ("bot.py", "rules.py")}
    repository(ladder.folder, texts)
    commit(ladder.folder, {"bot.py": f"{texts['bot.py']}\nWEAKER = True\n"})
    for words, (arguments, code) in STARTING.items():
        if words in (("serve",), ("worker",)):
            continue  # its pages, and a run on it, are below
        text = PLAY if words == ("play",) else ""
        done = ladder.run_with_input(text, *words, *arguments)
        assert done.code == code, (words, done.out, done.err)
        assert sandbox.starts(), f"{' '.join(words)} started nothing behind the sandbox"
        where = sandbox.bots()
        assert set(where) == (set() if words == ("doctor",) else {"inside"}), (words, where)
    played = ladder.run_with_input(PLAY, "play", "stupid", "--time", "1s")
    assert played.code == 0, played.err
    assert sandbox.bots() == ["inside"], "the bot that gives a hint"


class Site:
    """A server of a folder, asked as a browser asks."""

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/")
        found = re.search(r'name="ladder-token" content="([^"]+)"', self.get("/"))
        assert found
        self._token = found[1]

    def get(self, path: str) -> str:
        """Return the body of an answer that is no error."""
        with urllib.request.urlopen(self._address + path) as answer:  # noqa: S310
            text: str = answer.read().decode()
            return text

    def post(self, path: str, body: object) -> Any:
        """Return the document of an answer that is no error."""
        headers = {"X-Ladder-Token": self._token}
        request = urllib.request.Request(  # noqa: S310
            self._address + path, json.dumps(body).encode(), headers
        )
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            return json.load(answer)

    def first_move(self, wish: dict[str, object]) -> int:
        """Start a game in which the bot moves first, and return its first column."""
        game = self.post("/play", {**wish, "side": "second"})["address"]
        deadline = time.monotonic() + 60
        while not (moves := json.loads(self.get(f"{game}/state"))["moves"]):
            assert time.monotonic() < deadline, "the bot does not move"
            time.sleep(0.1)
        column: int = moves[0]
        return column

    def takes(self, path: str, body: object) -> bool:
        """Return whether a request is answered without an error."""
        try:
            self.post(path, body)
        except urllib.error.HTTPError:
            return False
        return True


@contextmanager
def served(ladder: Ladder, *words: object) -> Iterator[Site]:
    """Serve the ladder's database while the block runs."""
    process, address = ladder.serve(*words)
    yield Site(address)
    assert ladder.interrupt(process).code == 0


@pytest.mark.very_slow
def test_no_page_starts_a_bot_without_the_sandbox(ladder: Ladder, sandbox: Sandbox) -> None:
    """A game and a hint must start the bot inside."""
    assert ladder("bots", "add", "guest", SPEC).code == 0
    wish = {"bot": "guest", "kind": "time_ms", "amount": 1000}
    with served(ladder) as site:
        sandbox.bots()
        site.get("/bots/guest")
        assert sandbox.bots() == []
        game = site.post("/play", wish)["address"]
        eventually(lambda: site.takes(game, {"word": "hint", "bot": "guest"}), 0.2)
        site.get(game)
        eventually(lambda: site.takes(game, {"word": "drop", "column": 3}), 0.2)
        assert sandbox.bots() == ["inside"] * 2, "the opponent and the bot that gives a hint"


@pytest.mark.very_slow
def test_no_machine_of_a_cluster_starts_a_bot_without_the_sandbox(
    ladder: Ladder, sandbox: Sandbox
) -> None:
    """A worker must use the sandbox of its own folder for a run that has none."""
    assert ladder("bots", "add", "guest", SPEC).code == 0
    machines = Machines(ladder)
    machines.start_worker(1)
    sandbox.bots()
    played = ("--bots", "guest,random", *SHORT[:-2], "--games", "2", "--sandbox", "none")
    done = ladder("run", *played, "--cluster", *machines.reach)
    assert done.code == 0, done.err
    assert set(sandbox.bots()) == {"inside"}
    assert machines.end() == [0]


def test_every_command_that_may_start_a_bot_is_tested() -> None:
    """A command with an option for the sandbox must stand in the table of those that start bots."""
    found = {
        words
        for words, command in walk(parser())
        if any("--sandbox" in parameter.opts for parameter in command.params)
    }
    assert found == {*STARTING}


@pytest.mark.slow
@needs_bwrap
def test_the_standard_sandbox_hides_files_from_bots(
    ladder: Ladder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """It must be hidden for a question on a page and for a suite, and matches are played."""
    secret = tmp_path_factory.mktemp("elsewhere") / "secret"
    secret.write_text("games")
    write(ladder.folder, rules=LEGAL, bot=SEEING.format(secret=str(secret)))
    (ladder.folder / "suite.jsonl").write_text(json.dumps(SUITE) + "\n")
    (ladder.folder / "ladder.toml").write_text('sandbox = "standard"\n')
    assert ladder("bots", "add", "guest", SPEC).code == 0
    wish = {"bot": "guest", "kind": "time_ms", "amount": 1000}
    with served(ladder) as site:
        assert site.first_move(wish) == 4
    suite = ("suite", "run", "guest", "suite.jsonl", "--time", "100ms", "--json")
    for choice, solved in (((), 1), (("--sandbox", "none"), 0)):
        done = ladder(*suite, *choice)
        assert done.document["results"][0]["solved"] == solved, done.err
    played = ladder("match", "guest", "random", *SHORT, "--games", "2", "--json")
    assert played.code == 0, played.err
    assert query(ladder.db, "select count(*) from games where termination = 'crash'") == [(0,)]


SEEING = """
import os
from rules import legal

class Bot:
    def new_game(self, board, side, seed, budget):
        self.board = board
    def choose(self, moves):
        columns = legal(self.board, moves)
        wanted = 3 if os.path.exists({secret!r}) else 4
        return wanted if wanted in columns else columns[0]
"""
"""Plays column 3 where it sees the file."""
