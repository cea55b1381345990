"""Boards in play, from the workers of a run to the page."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from db.store import Store
from engine.result import Result, Termination
from ladder.match.game.broadcast import BoardInPlay, BroadcastListener
from ladder.runs.channel import channel_name
from reports.html.live.games import board_state
from tests.ladder.web.conftest import Running, Start, add_untried
from tests.support.browser import Opened, until
from tests.support.data.league import League
from tests.support.waiting import eventually

Visit = Callable[..., Opened]
SHOWN = BoardInPlay(
    worker=os.getpid(),
    pair=1,
    game=0,
    board="6x7@0,0",
    names=("alpha", "beta"),
    opening=0,
    moves=(0, 3, 0),
    values=(0.5, None),
    last_us=(1500, 2500),
    time_us=(61_000_000, 2500),
    time_ms=(100, None),
)
STEADY = """
import json, sys, time
from pathlib import Path
slowly = Path("SLOWLY")
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        answer = {"type": "hello", "name": "steady", "version": "1", "budgets": ["any"]}
    elif kind == "new_game":
        answer = {"type": "ready"}
    elif kind == "move":
        time.sleep(0.12 if slowly.exists() else 0)
        moves = message["moves"]
        column = next(c for c in (3, 2, 4, 1, 5, 0, 6) if moves.count(c) < 6)
        answer = {"type": "move", "column": column, "info": {"value": 0.25}}
    else:
        continue
    print(json.dumps(answer), flush=True)
"""


def tell(database: object, board: BoardInPlay) -> None:
    """Send a position as a worker does."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(msgspec.msgpack.encode(board), f"\0{channel_name(str(database))}")


def is_bound(database: object) -> bool:
    """Return whether a server receives boards."""
    try:
        with contextlib.closing(BroadcastListener(str(channel_name(str(database))))):
            return False
    except OSError:
        return True


def await_bound(database: object, expected: bool) -> None:
    eventually(lambda: is_bound(database) is expected)


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Return a new database."""
    where = str(tmp_path / "boards.db")
    Store.open(where).close()
    return where


@pytest.mark.slow
def test_a_run_is_watched_move_by_move(
    database: str,
    start_server: Start,
    visit: Visit,
    tmp_path: Path,
) -> None:
    """The page shows stones, values and clocks of a run in another process."""
    server = start_server(database)
    script = tmp_path / "bot" / "steady.py"
    script.parent.mkdir()
    slowly = tmp_path / "slowly"
    script.write_text(STEADY.replace("SLOWLY", str(slowly)))
    slowly.touch()
    ladder = [sys.executable, "-c", "from ladder.cli.main import main; main()"]
    for name in ("one", "two"):
        add_untried(database, name, f"exec:{sys.executable} -I -S steady.py", script.parent)
    assert not is_bound(database)
    opened = visit(server.address)
    page = opened.page
    words = ["run", "--bots", "one,two", "--boards", "6x7", "--games", "2", "--time", "30000"]
    with subprocess.Popen(
        [*ladder, *words, "--seed", "1", "--db", database],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as run:
        assert run.stdout is not None
        seen: set[int] = set()
        deadline = time.monotonic() + 120
        while len(seen) < 3:
            assert time.monotonic() < deadline, (seen, run.poll() and run.stdout.read())
            seen.add(page.locator(".board-in-play .stone").count())
            page.wait_for_timeout(150)
        shown = page.inner_text(".board-in-play")
        assert "one" in shown
        assert "two" in shown
        until(page, "document.querySelector('.board-in-play .value')?.innerText === '+0.25'")
        assert page.locator(".player.thinking").count() == 1
        assert opened.violations() == ""
        until(page, "document.querySelector('#part-now').innerText.includes('of 2 games')")
        slowly.unlink()
        assert run.wait(60) == 0
    until(page, "document.querySelector('#part-runs').innerText.includes('finished')")
    until(page, "document.querySelector('#boards').hidden", timeout_s=30)
    assert opened.errors == []
    page.close()
    await_bound(database, False)


@pytest.mark.slow
def test_hostile_positions_are_shown_as_text_or_left_out(
    league: League, server: Running, visit: Visit
) -> None:
    """Names are text, and illegal boards are not shown."""
    database = league.store.path
    opened = visit(server.address)
    page = opened.page
    await_bound(database, True)
    tell(database, msgspec.structs.replace(SHOWN, moves=(9,)))
    tell(database, msgspec.structs.replace(SHOWN, board="99x99"))
    tell(
        database, msgspec.structs.replace(SHOWN, names=("<img src=x onerror=alert(1)>", "\u202eb"))
    )
    until(page, "document.querySelectorAll('.board-in-play .stone').length === 3")
    shown = page.inner_text(".board-in-play")
    assert "<img src=x onerror=alert(1)>" in shown
    assert "\\u202eb" in shown
    assert "61 s" in shown
    assert page.locator(".board-in-play img").count() == 0
    assert page.locator(".board-in-play .forbidden").count() == 1
    ended = msgspec.structs.replace(
        SHOWN, moves=(0, 3, 0, 3), result=Result.LOSS, termination=Termination.TIMEOUT
    )
    tell(database, ended)
    until(
        page, "document.querySelector('.board-in-play')?.innerText.includes('beta won by timeout')"
    )
    assert page.locator(".player.thinking").count() == 0
    assert opened.errors == []


def test_unchanged_boards_are_not_sent_again(start_server: Start, tmp_path: Path) -> None:
    """Their ETag stays, also where no game can be received."""
    database = str(tmp_path / "later.db")
    server = start_server(database)
    tag = server.ask("/boards").headers["etag"]
    time.sleep(1.5)
    assert server.ask("/boards", headers={"If-None-Match": tag}).status == 304


@pytest.mark.parametrize(
    "change",
    [
        {"moves": (7,)},
        {"moves": (3, 3, 3, 3, 3, 3, 3)},
        {"moves": (0, 1, 0, 1, 0, 1, 0, 1)},
        {"board": "thu"},
        {"board": "6x7@9,9"},
    ],
)
def test_a_board_against_the_rules_is_left_out(change: dict[str, Any]) -> None:
    """Illegal positions are not drawn."""
    board = msgspec.structs.replace(SHOWN, board="6x7")
    assert board_state(board, shown_for_s=0.0) is not None
    assert board_state(msgspec.structs.replace(board, **change), shown_for_s=0.0) is None
