"""Positions of games in play on their way from a worker to whoever listens."""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from bots.protocol import Budget
from db.records.games import Thought
from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan
from engine.board import parse_board
from engine.position import Position
from engine.result import Result, Termination
from ladder.match.game import broadcast
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.broadcast import (
    BoardInPlay,
    Broadcast,
    BroadcastListener,
    channel_of,
)
from ladder.match.game.referee import play_pair
from tests.support.fakes import fake_start
from tests.support.unconfined import UNCONFINED

pytestmark = pytest.mark.timed

START = Start(("true",), "/")
PLAN = PairPlan(
    id=5,
    number=0,
    a=Entrant(1, "a", START, Budget(time_ms=100)),
    b=Entrant(2, "b", START, Budget(simulations=7)),
    board="6x7",
    board_class="6x7",
    opening=(3, 3, 2),
    seed=7,
)
POSITION = Position.from_moves(parse_board("6x7"), (3, 3, 2, 2, 4))
THOUGHTS = [Thought(10, 0.5), Thought(20, -0.25)]


@pytest.fixture
def channel(tmp_path: Path) -> str:
    """A name that no other test has."""
    found = channel_of(str(tmp_path))
    assert found is not None
    return found


def test_a_database_of_a_server_has_one_name_whoever_asks() -> None:
    """Users, passwords and ways to the own machine make no difference; ports and names do."""
    known = channel_of("postgresql+psycopg://ann:secret@localhost/games")
    assert known is not None
    assert "games" not in known
    for same in (
        "postgresql://bob@127.0.0.1:5432/games?sslmode=disable",
        "postgresql:///games?host=/run/postgresql",
    ):
        assert channel_of(same) == known
    for other in ("postgresql://localhost:5433/games", "postgresql://elsewhere/games"):
        assert channel_of(other) != known
    assert channel_of("sqlite:////no/such/file.db") is None


@pytest.fixture
def sender(channel: str) -> Iterator[Broadcast]:
    """A worker's end."""
    with contextlib.closing(Broadcast(channel)) as made:
        yield made


@pytest.fixture
def listener(channel: str) -> Iterator[BroadcastListener]:
    """A server's end."""
    with contextlib.closing(BroadcastListener(channel)) as made:
        yield made


def everything(listener: BroadcastListener) -> list[BoardInPlay]:
    """All that has come."""
    came = []
    while (received := listener.receive()) is not None:
        assert received[0] == os.getpid()
        came.append(received[1])
    return came


def test_a_position_arrives_whole(sender: Broadcast, listener: BroadcastListener) -> None:
    """Names, moves, values and clocks must stand at the side that they belong to."""
    game = sender.begins(PLAN, True)
    assert game is not None
    game.show(POSITION.moves, THOUGHTS, (20, 10))
    game.end(POSITION.moves, THOUGHTS, (20, 10), Result.WIN, Termination.CRASH)
    shown, ended = everything(listener)
    assert shown == BoardInPlay(
        pair=5,
        game=1,
        board="6x7",
        names=("b", "a"),
        opening=3,
        moves=(3, 3, 2, 2, 4),
        values=(-0.25, 0.5),
        last_us=(20, 10),
        time_us=(20, 10),
        time_ms=(None, 100),
    )
    assert ended == msgspec.structs.replace(shown, result=Result.WIN, termination=Termination.CRASH)


def test_a_quick_game_without_a_listener_is_not_told(
    sender: Broadcast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game after a quick one must get nothing to tell, so that its plies cost nothing."""
    monkeypatch.setattr(broadcast, "QUICK_GAME_NS", 10**15)
    assert sender.begins(PLAN, False) is not None  # the first may be a slow one
    assert sender.begins(PLAN, True) is None


def test_a_listener_is_found_in_the_middle_of_a_slow_game(
    sender: Broadcast, channel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever opens a page during a long game must see it before the next one."""
    monkeypatch.setattr(broadcast, "LOOK_NS", 0)
    game = sender.begins(PLAN, False)
    assert game is not None
    game.show(POSITION.moves, THOUGHTS, (10, 20))
    with contextlib.closing(BroadcastListener(channel)) as listener:
        game.show(POSITION.moves, THOUGHTS, (10, 20))
        assert len(everything(listener)) == 1


def test_positions_have_a_pace(
    sender: Broadcast,
    listener: BroadcastListener,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of plies in quick succession one must be sent, and of ends of games one."""
    monkeypatch.setattr(broadcast, "PACE_NS", 10**12)
    for swapped in (False, True):
        game = sender.begins(PLAN, swapped)
        assert game is not None
        for _ in range(5):
            game.show(POSITION.moves, THOUGHTS, (10, 20))
        game.end(POSITION.moves, THOUGHTS, (10, 20), Result.DRAW, Termination.BOARD_FULL)
    assert [board.result for board in everything(listener)] == [None, Result.DRAW]


def test_nobody_waits_for_a_listener(
    sender: Broadcast,
    listener: BroadcastListener,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is not read must be dropped, and a listener that has gone must be noticed."""
    monkeypatch.setattr(broadcast, "PACE_NS", 0)
    game = sender.begins(PLAN, False)
    assert game is not None
    for _ in range(5000):
        game.show(POSITION.moves, THOUGHTS, (10, 20))
    assert 1 <= len(everything(listener)) < 5000
    listener.close()
    game.show(POSITION.moves, THOUGHTS, (10, 20))
    assert not sender.is_heard(0, 1)


def test_hostile_datagrams_are_left_out(
    sender: Broadcast, listener: BroadcastListener, channel: str
) -> None:
    """What is no position, or too long, must not hide the next one."""
    game = sender.begins(PLAN, False)
    assert game is not None
    good = msgspec.msgpack.encode(game._board(POSITION.moves, THOUGHTS, (10, 20)))
    fields = msgspec.msgpack.decode(good)
    bad = [b"", b"\xff" * 9, b"\xc1", good[:-1], good + b"\0" * 9000]
    for place, value in ((1, 2), (2, "6" * 21), (3, ["", "b"]), (5, [99]), (5, [0] * 145)):
        changed = list(fields)
        changed[place] = value
        bad.append(msgspec.msgpack.encode(changed))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stranger:
        for data in [*bad, good]:
            stranger.sendto(data, f"\0{channel}")
            if data is not good:
                assert everything(listener) == []
    assert len(everything(listener)) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_datagrams_of_other_users_are_left_out(listener: BroadcastListener, channel: str) -> None:
    """A position must count only from a process of this user, as the kernel knows it."""
    code = (
        "import os, socket, sys\n"
        "os.setuid(12345)\n"
        "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
        "s.sendto(bytes.fromhex(sys.argv[2]), '\\0' + sys.argv[1])\n"
    )
    good = BoardInPlay(1, 0, "6x7", ("a", "b"), 0, (), (None, None), (0, 0), (0, 0), (1, 1))
    words = [sys.executable, "-S", "-c", code, channel, msgspec.msgpack.encode(good).hex()]
    subprocess.run(words, check=True)
    assert everything(listener) == []


def test_the_referee_tells_both_games(
    sender: Broadcast,
    listener: BroadcastListener,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every ply of a pair and both ends must be told, and be those of the stored games."""
    monkeypatch.setattr(broadcast, "PACE_NS", 0)
    fake = fake_start("honest", folder=tmp_path)
    plan = msgspec.structs.replace(
        PLAN,
        a=Entrant(1, "a", fake, Budget(time_ms=1000)),
        b=Entrant(2, "b", fake, Budget(time_ms=1000)),
        opening=(3,),
    )
    came: list[BoardInPlay] = []
    send = sender.send

    def sent(board: BoardInPlay) -> None:
        send(board)
        came.extend(everything(listener))

    monkeypatch.setattr(sender, "send", sent)
    with contextlib.closing(BotPool(UNCONFINED)) as pool:
        record = play_pair(plan, pool, sender)
    for swapped, game in enumerate(record.games):
        told = [board for board in came if board.game == swapped]
        assert [len(board.moves) for board in told[:-1]] == [*range(2, len(game.moves) + 1)]
        last = told[-1]
        assert (last.moves, last.result, last.termination) == (
            game.moves,
            game.result,
            game.termination,
        )
        assert last.time_us == tuple(side.time_us for side in game.sides)
