"""Positions of games in play, sent from workers to a listener."""

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from bots.budget import Clock
from bots.protocol import Budget
from db.records import thought_blob
from db.records.pairs import Entrant
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.broadcast import (
    BoardInPlay,
    Broadcaster,
    BroadcastListener,
)
from ladder.match.game.referee import play_pair
from ladder.runs.channel import channel_name
from tests.support.fakes import fake_start, pair_plan
from tests.support.unconfined import UNCONFINED

SHOWN = BoardInPlay(
    worker=os.getpid(),
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


@pytest.fixture
def channel(tmp_path: Path) -> str:
    """Return a socket name that no other test uses."""
    found = channel_name(str(tmp_path))
    assert found is not None
    return found


def test_one_database_on_a_server_has_one_channel() -> None:
    """User, password and the name of the local machine do not matter; port and database do."""
    known = channel_name("postgresql+psycopg://ann:secret@localhost/games")
    assert known is not None
    assert "games" not in known
    for same in (
        "postgresql://bob@127.0.0.1:5432/games?sslmode=disable",
        "postgresql:///games?host=/run/postgresql",
    ):
        assert channel_name(same) == known
    for other in ("postgresql://localhost:5433/games", "postgresql://elsewhere/games"):
        assert channel_name(other) != known
    assert channel_name("sqlite:////no/such/file.db") is None


@pytest.fixture
def listener(channel: str) -> Iterator[BroadcastListener]:
    """Yield the receiving end of a server."""
    with contextlib.closing(BroadcastListener(channel)) as made:
        yield made


def everything(listener: BroadcastListener) -> list[BoardInPlay]:
    """Return all positions that have come."""
    came = []
    while (received := listener.receive()) is not None:
        came.append(received)
    return came


def test_a_listener_is_found_in_the_middle_of_a_game(channel: str) -> None:
    """A page that is opened during a long game shows that game."""
    with contextlib.closing(Broadcaster(channel, 0)) as sender:
        assert not sender.is_due()
        with contextlib.closing(BroadcastListener(channel)):
            assert sender.is_due()


@pytest.mark.usefixtures("listener")
def test_positions_are_sent_at_a_limited_rate(channel: str) -> None:
    """Of plies in quick succession one is sent, and of ends of games one."""
    with contextlib.closing(Broadcaster(channel, 10**12)) as sender:
        assert [sender.is_due(is_end=is_end) for is_end in (False, False, True, True)] == [
            True, False, True, False,
        ]  # fmt: skip


def test_a_slow_listener_does_not_delay_the_sender(
    channel: str, listener: BroadcastListener
) -> None:
    """Positions that are not read are dropped, and the end of a listener is noticed."""
    with contextlib.closing(Broadcaster(channel, 0)) as sender:
        assert sender.is_due()
        for _ in range(5000):
            sender.send(SHOWN)
        assert 1 <= len(everything(listener)) < 5000
        listener.close()
        sender.send(SHOWN)
        assert not sender.is_due()


def test_invalid_datagrams_are_ignored(listener: BroadcastListener, channel: str) -> None:
    """A datagram that is not a position, or too long, does not hide the next one."""
    good = msgspec.msgpack.encode(SHOWN)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        for data in (b"", b"\xff" * 9, good[:-1], good + b"\0" * 9000, good):
            other.sendto(data, f"\0{channel}")
    assert everything(listener) == [SHOWN]


@pytest.mark.slow
def test_the_referee_sends_both_games(
    channel: str,
    listener: BroadcastListener,
    tmp_path: Path,
) -> None:
    """Every ply of a pair and both ends are sent, and agree with the stored games."""
    fake = fake_start("honest", folder=tmp_path)
    clocked = Entrant(2, "b", fake, Budget(clock=Clock(9000)))
    plan = pair_plan(fake, clocked, Budget(time_ms=1000), opening=(3,))
    received: list[BoardInPlay] = []

    class ReadAtOnce(Broadcaster):
        """A sender whose listener reads each position at once, so that none is dropped."""

        def send(self, board: BoardInPlay) -> None:
            """Send a position and receive it."""
            super().send(board)
            received.extend(everything(listener))

    with (
        contextlib.closing(ReadAtOnce(channel, 0)) as sender,
        contextlib.closing(BotPool(UNCONFINED)) as pool,
    ):
        record = play_pair(plan, pool, sender)
    for swapped, game in enumerate(record.games):
        sent = [board for board in received if board.game == swapped]
        assert [len(board.moves) for board in sent[:-1]] == [*range(2, len(game.moves) + 1)]
        last = sent[-1]
        assert (last.worker, last.pair, last.opening) == (os.getpid(), plan.pair.id, 1)
        assert last.names == (("b", "a") if swapped else ("a", "b"))
        assert last.time_ms == ((None, 1000) if swapped else (1000, None))
        assert (last.left_us[0] is None) is not bool(swapped)
        assert last.last_us == tuple(
            thoughts[-1].time_us
            for first in (1, 0)
            if (thoughts := thought_blob.decode(game.thoughts)[first::2])
        )
        assert (last.moves, last.result, last.termination) == (
            game.moves,
            game.result,
            game.termination,
        )
        assert last.time_us == tuple(side.time_us for side in game.sides)
