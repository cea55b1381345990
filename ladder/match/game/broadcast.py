"""Live positions of games, sent from workers to a web server on the same machine.

A worker sends positions as datagrams to an abstract socket (unix(7)) that the server binds while a
page shows boards. The socket's name contains device and inode of the database file, or a hash of a
database's address, so no file can be left behind. Each datagram is a whole position, so the next
one makes up for a lost one. Sending never waits, and a worker sends at most 20 positions a second.
"""

import contextlib
import hashlib
import os
import socket
import struct
from collections.abc import Sequence
from time import perf_counter_ns
from typing import Annotated

import msgspec
from msgspec import Meta

from db.records.games import Thought
from db.records.pairs import PairPlan
from engine.result import Result, Termination
from ladder.match.game.ending import GameEnd
from ladder.match.process.cpus import PREFIX

DATAGRAM_LIMIT = 4096
"""Bytes of a datagram; a position has some 300."""

Key = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
Microseconds = Annotated[int, Meta(ge=0, lt=1 << 53)]
Name = Annotated[str, Meta(min_length=1, max_length=100)]


BanksUs = tuple[int | None, int | None]
"""What each side has left of its clock or overage; None if it has neither."""
NO_BANKS: BanksUs = (None, None)


class BoardInPlay(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A position of a game in play; pairs of values are the first and the second player's."""

    pair: Key
    """Key of the pair in the database."""
    game: Annotated[int, Meta(ge=0, le=1)]
    """0 if the pair's A moves first, 1 if its B does."""
    board: Annotated[str, Meta(max_length=20)]
    names: tuple[Name, Name]
    opening: Annotated[int, Meta(ge=0, le=144)]
    """Number of plies of the opening, which both games of the pair share."""
    moves: Annotated[tuple[Annotated[int, Meta(ge=0, le=11)], ...], Meta(max_length=144)]
    """Columns, including the opening."""
    values: tuple[float | None, float | None]
    """Value of each side's latest move, -1..1 for that side; None if it reported none."""
    last_us: tuple[Microseconds, Microseconds]
    """Time of each side's latest move, 0 before it."""
    time_us: tuple[Microseconds, Microseconds]
    """Time of all moves of a side."""
    time_ms: tuple[Microseconds | None, Microseconds | None]
    """Time budget of a move; None if the budget is of another kind."""
    result: Result | None = None
    """None until the game is over."""
    termination: Termination | None = None
    left_us: tuple[Microseconds | None, Microseconds | None] = NO_BANKS
    """What a side has left of its clock or overage; None if it has neither."""


PERIOD_NS = 50_000_000
"""Shortest time between two positions of a worker, and between two searches for a listener."""
_CREDENTIALS = struct.Struct("3i")
"""Process, user and group of a sender."""
_NO_THOUGHT = Thought(0)
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(BoardInPlay)


def channel_name(database: str | None) -> str | None:
    """Return the name of the socket for the games of a database, or None if there is no such file.

    Args:
        database: a file path or a URL. Different names of one server give different sockets,
            except for its user and for localhost.

    """
    if database is not None and "://" in database:
        # Slow to import, and workers do not need it.
        from db.store import find_database_file, find_server_key

        server = find_server_key(database)
        if server is not None:
            return f"{PREFIX}.boards.{hashlib.sha256(server.encode()).hexdigest()[:32]}"
        database = find_database_file(database)
    try:
        found = os.stat(database or "")
    except (OSError, ValueError):
        return None
    return f"{PREFIX}.boards.{found.st_dev:x}.{found.st_ino:x}"


class Broadcaster:
    """The sending end of one worker."""

    def __init__(self, channel: str, period_ns: int = PERIOD_NS) -> None:
        """Create a sender, which sends nothing until the channel has a listener."""
        self._period_ns = period_ns
        self._address = f"\0{channel}"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._socket.setblocking(False)
        self._is_connected = False
        self._next_ns = [0, 0]
        """When the next position in play may be sent, and the next end of a game."""

    def is_due(self, *, is_end: bool = False) -> bool:
        """Return whether there is a listener and the last position was not sent just before.

        Ends of games have a pace of their own.
        """
        now = perf_counter_ns()
        if now < self._next_ns[is_end]:
            return False
        self._next_ns[is_end] = now + self._period_ns
        if not self._is_connected:
            with contextlib.suppress(OSError):
                self._socket.connect(self._address)
                self._is_connected = True
        return self._is_connected

    def send(self, board: BoardInPlay) -> None:
        """Send a position, or drop it if the listener has not read the earlier ones."""
        try:
            self._socket.send(_encoder.encode(board))
        except BlockingIOError:
            pass
        except OSError:  # the listener has ended
            self._is_connected = False

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


def make_board(
    plan: PairPlan,
    *,
    swapped: bool,
    moves: Sequence[int],
    thoughts: Sequence[Thought],
    times_us: tuple[int, int],
    left_us: BanksUs = NO_BANKS,
    end: GameEnd | None = None,
) -> BoardInPlay:
    """Return the position of a game.

    Args:
        plan: the pair.
        swapped: whether B moves first.
        moves: the columns so far, including the opening.
        thoughts: one for each move after the opening, and one for an illegal move.
        times_us: time of all moves of the first and of the second player.
        left_us: what they have left of their clocks or overages.
        end: the end of the game; None before it.

    """
    sides = (plan.b, plan.a) if swapped else (plan.a, plan.b)
    latest = [_NO_THOUGHT, _NO_THOUGHT]
    # Not counted by moves: an illegal move has a thought, but is not among the moves.
    for back, thought in enumerate(reversed(thoughts[-2:])):
        latest[(len(plan.opening) + len(thoughts) - 1 - back) & 1] = thought
    first, second = latest
    return BoardInPlay(
        pair=plan.id,
        game=int(swapped),
        board=plan.board,
        names=(sides[0].name, sides[1].name),
        opening=len(plan.opening),
        moves=tuple(moves),
        values=(first.value, second.value),
        last_us=(first.time_us, second.time_us),
        time_us=times_us,
        time_ms=(sides[0].budget.time_ms, sides[1].budget.time_ms),
        result=None if end is None else end.result,
        termination=None if end is None else end.termination,
        left_us=left_us,
    )


class BroadcastListener:
    """The receiving end: positions from workers of this user.

    Any program on the machine may send to the socket. Datagrams of other users, as the kernel
    identifies them, and datagrams that are not valid positions are ignored.
    """

    def __init__(self, channel: str) -> None:
        """Start to listen.

        Raises:
            OSError: the channel already has a listener.

        """
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        try:
            self._socket.setblocking(False)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            self._socket.bind(f"\0{channel}")
        except OSError:
            self._socket.close()
            raise

    def fileno(self) -> int:
        """Return the descriptor that is readable when a datagram has come."""
        return self._socket.fileno()

    def receive(self) -> tuple[int, BoardInPlay] | None:
        """Return the next position and its sender's process id, or None if nothing has come."""
        while True:
            try:
                data, ancillary, flags, _ = self._socket.recvmsg(
                    DATAGRAM_LIMIT, socket.CMSG_SPACE(_CREDENTIALS.size)
                )
            except BlockingIOError:
                return None
            sender = _sender(ancillary)
            if sender is None or flags & socket.MSG_TRUNC:
                continue
            with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
                return sender, _decoder.decode(data)

    def close(self) -> None:
        """Stop listening; senders notice by themselves."""
        self._socket.close()


def _sender(ancillary: list[tuple[int, int, bytes]]) -> int | None:
    """Return the process id of a datagram's sender, or None if it is another user's."""
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
            pid, uid, _ = _CREDENTIALS.unpack(data)
            if uid == os.geteuid():
                return int(pid)
    return None
