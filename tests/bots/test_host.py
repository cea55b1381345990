"""The host process, through its pipes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bots.budget import HELLO_BUDGETS
from engine.cache import ROOT


class Conversation:
    """A conversation with a host process."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "bots.host"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )

    def say(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, type_: str, **message: Any) -> dict[str, Any]:
        self.say(json.dumps({"type": type_, **message}).encode())
        return self.hear()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def new_game(self, player: str | None, **changes: Any) -> dict[str, Any]:
        message: dict[str, Any] = {
            "game": "g",
            "rows": 6,
            "columns": 7,
            "connect": 4,
            "forbidden": None,
            "side": 0,
            "seed": 7,
            "budget": {"simulations": 50},
        }
        if player is not None:
            message["player"] = player
        return self.ask("new_game", **{**message, **changes})


@pytest.fixture
def host() -> Iterator[Conversation]:
    conversation = Conversation()
    yield conversation
    conversation.process.kill()
    conversation.process.communicate()


@pytest.mark.slow
def test_two_games_are_played_in_one_conversation(host: Conversation) -> None:
    """Hello, two games as different players, the end; nothing superfluous is sent or loaded."""
    hello = host.ask("hello", protocol=1)
    assert hello["type"] == "hello"
    assert hello["budgets"] == list(HELLO_BUDGETS)
    for player in ("v4", "random"):
        assert host.new_game(player) == {"type": "ready"}
        answer = host.ask("move", ply=2, moves=[3, 3])
        assert answer["type"] == "move"
        assert answer["ply"] == 2
        assert 0 <= answer["column"] < 7
        host.say(b'{"type":"game_over","result":"win","termination":"four_in_a_row"}')
    loaded = Path(f"/proc/{host.process.pid}/maps").read_text()
    assert ("/llvmlite/" in loaded, "/scipy/" in loaded) == (True, False)
    host.say(b'{"type":"quit"}')
    rest, errors = host.process.communicate(timeout=10)
    assert (rest, errors, host.process.returncode) == (b"", b"", 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("player", "changes", "word"),
    [
        ("v44", {}, "v44"),
        ("v4?c=x", {}, "c"),
        ("v4", {"rows": 13}, "rows"),
        ("v4", {"forbidden": [9, 9]}, "forbidden"),
        ("v4", {"connect": 5}, "connect"),
        ("v4", {"budget": {"depth": 3}}, "depth"),
        ("v4", {"budget": {}}, "budget"),
        (None, {}, "player"),
    ],
)
def test_a_request_that_cannot_be_played_is_answered_with_an_error(
    host: Conversation, player: str | None, changes: dict[str, Any], word: str
) -> None:
    """The error names what cannot be played, and the host continues."""
    answer = host.new_game(player, **changes)
    assert answer["type"] == "error"
    assert word in answer["message"]
    assert host.new_game("random") == {"type": "ready"}


def test_bad_lines_are_answered_with_errors(host: Conversation) -> None:
    """Invalid lines, a move before a game and an illegal history do not end the host."""
    for line in (b"nonsense", b'{"type":"dance"}', b'{"type":"move","ply":0,"moves":[]}'):
        host.say(line)
        assert host.hear()["type"] == "error"
    host.new_game("random")
    answer = host.ask("move", ply=1, moves=[99])
    assert answer["type"] == "error"
    assert "99" in answer["message"]


def test_requests_may_arrive_in_pieces(host: Conversation) -> None:
    """Lines are reassembled, however the pipe splits them."""
    assert host.process.stdin is not None
    for piece in (b'{"type":"he', b'llo","protocol":1}\n{"type":"hel', b'lo","protocol":1}\n'):
        host.process.stdin.write(piece)
        host.process.stdin.flush()
    assert host.hear()["type"] == "hello"
    assert host.hear()["type"] == "hello"


def test_output_of_libraries_does_not_reach_the_protocol() -> None:
    """It goes to standard error, including output at exit."""
    code = (
        "import bots.host as h, os\n"
        "old = h.PlayerHost.answer\n"
        "def answer(self, request):\n"
        "    print('noise'); os.system('echo more noise')\n"
        "    return old(self, request)\n"
        "h.PlayerHost.answer = answer\n"
        "h.exit_now(h.main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=b'{"type":"hello","protocol":1}\n',
        capture_output=True,
        timeout=20,
        check=True,
        cwd=ROOT,
    )
    assert done.stdout.count(b"\n") == 1
    assert json.loads(done.stdout)["type"] == "hello"
    assert b"noise" in done.stderr
