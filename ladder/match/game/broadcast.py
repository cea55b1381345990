"""Games in play, told move by move to whoever listens on this machine.

A worker sends positions as datagrams to a socket that a server binds while a page shows boards. Its
name, in the kernel's own space of names (unix(7), "abstract"), holds device and inode of the
database, or a hash of its place on a server, so there is no file to leave behind. Each datagram is
a whole position: one that is lost is made good by the next. Nothing here ever waits. With nobody
listening a quick game costs one system call at most, and its plies cost nothing.
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
from ladder.match.process.cpus import PREFIX

PACE_NS = 50_000_000
"""Between two positions of one worker."""
LOOK_NS = 250_000_000
"""Between two looks for a listener during slow games."""
QUICK_GAME_NS = 1_000_000_000
"""After a shorter game the next one looks for a listener at its beginning only."""
DATAGRAM_LIMIT = 4096
"""Bytes; a position has some 300."""

Key = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
Microseconds = Annotated[int, Meta(ge=0, lt=1 << 53)]
Name = Annotated[str, Meta(min_length=1, max_length=100)]


class BoardInPlay(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A game at one moment. What belongs to a side stands for the first player at 0."""

    pair: Key
    """Of the database."""
    game: Annotated[int, Meta(ge=0, le=1)]
    """0: the pair's A moves first; 1: its B does."""
    board: Annotated[str, Meta(max_length=20)]
    names: tuple[Name, Name]
    opening: Annotated[int, Meta(ge=0, le=144)]
    """Plies that both games of the pair share."""
    moves: Annotated[tuple[Annotated[int, Meta(ge=0, le=11)], ...], Meta(max_length=144)]
    """Columns, the opening included."""
    values: tuple[float | None, float | None]
    """Of each side's latest move, -1..1 for that side as bots are to tell it; None: not told."""
    last_us: tuple[Microseconds, Microseconds]
    """Time of each side's latest move, 0 before it."""
    time_us: tuple[Microseconds, Microseconds]
    """Time of all moves of a side."""
    time_ms: tuple[Microseconds | None, Microseconds | None]
    """The time of a move; None: the budget is of another kind."""
    result: Result | None = None
    """None: the game goes on."""
    termination: Termination | None = None


_CREDENTIALS = struct.Struct("3i")
"""Process, user and group of a sender."""
_NO_THOUGHT = Thought(0)
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(BoardInPlay)


def channel_name(database: str | None) -> str | None:
    """The name of the socket for the games of a database; None: there is no such file.

    Args:
        database: a file path or a URL. Commands that name a server in different ways do not meet;
            who its user is, and whether it is called localhost, makes no difference.

    """
    if database is not None and "://" in database:
        from db.store import file_of, server_of  # workers do without its libraries

        server = server_of(database)
        if server is not None:
            return f"{PREFIX}.boards.{hashlib.sha256(server.encode()).hexdigest()[:32]}"
        database = file_of(database)
    try:
        found = os.stat(database or "")
    except (OSError, ValueError):
        return None
    return f"{PREFIX}.boards.{found.st_dev:x}.{found.st_ino:x}"


class Broadcaster:
    """The sending end: one for each worker.

    The referee calls `begins` for every game, and tells the rest to what it gets.
    """

    def __init__(self, channel: str) -> None:
        """Nothing is sent before somebody listens at the channel."""
        self._address = f"\0{channel}"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._socket.setblocking(False)
        self._is_heard = False
        self._looked = -LOOK_NS
        self._begun: int | None = None
        self._next = self._next_end = 0

    def begins(self, plan: PairPlan, swapped: bool) -> "GameBroadcast | None":
        """The taker of a game's moves; None: nobody listens, and the game will be over soon."""
        now = perf_counter_ns()
        is_quick = self._begun is not None and now - self._begun < QUICK_GAME_NS
        self._begun = now
        if not self.has_listener(now, PACE_NS) and is_quick:
            return None
        return GameBroadcast(self, plan, swapped)

    def has_listener(self, now: int, every_ns: int) -> bool:
        """Whether somebody listens; looked for no more often than that."""
        if self._is_heard or now - self._looked < every_ns:
            return self._is_heard
        self._looked = now
        with contextlib.suppress(OSError):
            self._socket.connect(self._address)
            self._is_heard = True
        return self._is_heard

    def is_due(self, now: int, *, is_end: bool) -> bool:
        """Whether a position may be sent now; ends of games have a pace of their own."""
        if is_end:
            if now < self._next_end:
                return False
            self._next_end = now + PACE_NS
        elif now < self._next:
            return False
        self._next = now + PACE_NS
        return True

    def send(self, board: BoardInPlay) -> None:
        """Send it, or drop it where the listener has not read what came before."""
        try:
            self._socket.send(_encoder.encode(board))
        except BlockingIOError:
            pass
        except OSError:  # the listener has gone
            self._is_heard = False

    def close(self) -> None:
        """Send nothing more."""
        self._socket.close()


class GameBroadcast:
    """The moves of one game on their way to a listener."""

    __slots__ = ("_broadcast", "_plan", "_swapped")

    def __init__(self, broadcast: Broadcaster, plan: PairPlan, swapped: bool) -> None:
        self._broadcast = broadcast
        self._plan = plan
        self._swapped = swapped

    def show(
        self, moves: Sequence[int], thoughts: list[Thought], times_us: tuple[int, int]
    ) -> None:
        """Send a position of the game that goes on, unless one was sent just before.

        Args:
            moves: the columns so far, the opening included.
            thoughts: one for each move after the opening.
            times_us: of all moves of a side, the first player's before the second's.

        """
        broadcast, now = self._broadcast, perf_counter_ns()
        if broadcast.has_listener(now, LOOK_NS) and broadcast.is_due(now, is_end=False):
            broadcast.send(self._board(moves, thoughts, times_us))

    def end(
        self,
        moves: Sequence[int],
        thoughts: list[Thought],
        times_us: tuple[int, int],
        result: Result,
        termination: Termination,
    ) -> None:
        """Send the last position, unless that of another game was sent just before."""
        broadcast, now = self._broadcast, perf_counter_ns()
        if broadcast.has_listener(now, LOOK_NS) and broadcast.is_due(now, is_end=True):
            board = self._board(moves, thoughts, times_us)
            broadcast.send(msgspec.structs.replace(board, result=result, termination=termination))

    def _board(
        self, moves: Sequence[int], thoughts: list[Thought], times_us: tuple[int, int]
    ) -> BoardInPlay:
        plan = self._plan
        sides = (plan.b, plan.a) if self._swapped else (plan.a, plan.b)
        latest = [_NO_THOUGHT, _NO_THOUGHT]
        # A move that was asked again has one thought, and a refused one has a thought and no ply.
        for back, thought in enumerate(reversed(thoughts[-2:])):
            latest[(len(plan.opening) + len(thoughts) - 1 - back) & 1] = thought
        first, second = latest
        return BoardInPlay(
            pair=plan.id,
            game=int(self._swapped),
            board=plan.board,
            names=(sides[0].name, sides[1].name),
            opening=len(plan.opening),
            moves=tuple(moves),
            values=(first.value, second.value),
            last_us=(first.time_us, second.time_us),
            time_us=times_us,
            time_ms=(sides[0].budget.time_ms, sides[1].budget.time_ms),
        )


class BroadcastListener:
    """The receiving end: the positions that workers of this user send.

    Any program on the machine may send to the socket. The kernel tells who has: datagrams of other
    users, too long ones and those that are no positions are left out.
    """

    def __init__(self, channel: str) -> None:
        """Listen from now on.

        Raises:
            OSError: somebody listens there already.

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
        """The descriptor that is ready when something has come."""
        return self._socket.fileno()

    def receive(self) -> tuple[int, BoardInPlay] | None:
        """The next position with the process that sent it; None: there is none now."""
        while True:
            try:
                data, told, flags, _ = self._socket.recvmsg(
                    DATAGRAM_LIMIT, socket.CMSG_SPACE(_CREDENTIALS.size)
                )
            except BlockingIOError:
                return None
            sender = _sender(told)
            if sender is None or flags & socket.MSG_TRUNC:
                continue
            with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
                return sender, _decoder.decode(data)

    def close(self) -> None:
        """Listen no more; senders notice by themselves."""
        self._socket.close()


def _sender(told: list[tuple[int, int, bytes]]) -> int | None:
    """The process that sent a datagram, as the kernel knows it; None: it is another user's."""
    for level, kind, data in told:
        if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
            pid, uid, _ = _CREDENTIALS.unpack(data)
            if uid == os.geteuid():
                return int(pid)
    return None
