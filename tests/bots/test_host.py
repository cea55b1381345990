"""The host of the built-in players: its process, and its answers to what cannot be played."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bots.budget import HELLO_BUDGETS
from bots.host import USUAL_LINE, read_lines, serve
from engine.cache import ROOT

GAME: dict[str, Any] = {
    "game": "g", "rows": 6, "columns": 7, "connect": 4, "forbidden": None,
    "side": 0, "seed": 7, "budget": {"simulations": 50}, "player": "random",
}  # fmt: skip


def line(type_: str, **message: Any) -> bytes:
    return json.dumps({"type": type_, **message}).encode()


def new_game(**changes: Any) -> bytes:
    return line("new_game", **{**GAME, **changes})


def pipe_of(*lines: bytes) -> int:
    """Return a pipe that ends after these lines."""
    source, write_end = os.pipe()
    os.write(write_end, b"".join(each + b"\n" for each in lines))
    os.close(write_end)
    return source


def answers(*lines: bytes) -> list[dict[str, Any]]:
    """Return what a host in this process answers."""
    source, (read_end, target) = pipe_of(*lines), os.pipe()
    serve(source, target)
    os.close(source)
    os.close(target)
    with open(read_end, "rb") as replies:
        return [json.loads(reply) for reply in replies]


@pytest.mark.slow
def test_two_games_are_played_in_one_conversation() -> None:
    """Hello, two games as different players, the end; nothing superfluous is sent or loaded."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "bots.host"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
    ) as host:  # fmt: skip

        def ask(*lines: bytes) -> dict[str, Any]:
            assert host.stdin is not None
            assert host.stdout is not None
            host.stdin.write(b"".join(each + b"\n" for each in lines))
            host.stdin.flush()
            answer: dict[str, Any] = json.loads(host.stdout.readline())
            return answer

        hello = ask(line("hello", protocol=1))
        assert (hello["type"], hello["budgets"]) == ("hello", list(HELLO_BUDGETS))
        over: tuple[bytes, ...] = ()
        for player in ("v4", "random"):
            assert ask(*over, new_game(player=player)) == {"type": "ready"}
            answer = ask(line("move", ply=2, moves=[3, 3]))
            assert (answer["type"], answer["ply"]) == ("move", 2)
            assert 0 <= answer["column"] < 7
            over = (line("game_over", result="win", termination="four_in_a_row"),)
        loaded = Path(f"/proc/{host.pid}/maps").read_text()
        assert ("/llvmlite/" in loaded, "/scipy/" in loaded) == (True, False)
        rest, errors = host.communicate(line("quit") + b"\n", timeout=10)
    assert (rest, errors, host.returncode) == (b"", b"", 0)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"player": "v44"}, "v44"),
        ({"player": "v4?c=x"}, "c"),
        ({"rows": 13}, "rows"),
        ({"forbidden": [9, 9]}, "forbidden"),
        ({"connect": 5}, "connect"),
        ({"budget": {"depth": 3}, "player": "v4"}, "depth"),
        ({"budget": {}}, "budget"),
        ({"player": None}, "player"),
    ],
)
def test_a_request_that_cannot_be_played_is_answered_with_an_error(
    changes: dict[str, Any], word: str
) -> None:
    """The error names what cannot be played, and the host continues."""
    error, ready = answers(new_game(**changes), new_game())
    assert error["type"] == "error"
    assert word in error["message"]
    assert ready == {"type": "ready"}


def test_bad_lines_are_answered_with_errors() -> None:
    """Invalid lines, a move before a game and an illegal history do not end the host."""
    bad = (b"nonsense", b'{"type":"dance"}', line("move", ply=0, moves=[]))
    found = answers(*bad, new_game(), line("move", ply=1, moves=[99]))
    assert [each["type"] for each in found] == ["error"] * 3 + ["ready", "error"]
    assert "99" in found[-1]["message"]


def test_long_lines_are_joined() -> None:
    """Lines are reassembled, however many reads they take."""
    lines = [b"x" * size for size in (0, 1, USUAL_LINE - 1, USUAL_LINE, 3 * USUAL_LINE + 5, 2)]
    assert list(read_lines(pipe_of(*lines))) == lines


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
