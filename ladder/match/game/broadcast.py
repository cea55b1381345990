"""Live positions of games, sent from workers to a web server on the same machine.

A worker sends positions as datagrams to an abstract socket (unix(7)) that the server binds while a
page shows boards. The socket's name contains device and inode of the database file, or a hash of a
database's address, so no file can be left behind. Each datagram is a whole position, so the next
one makes up for a lost one. Sending never waits, and a worker sends at most 20 positions a second.
"""

import contextlib
import socket
from time import perf_counter_ns

import msgspec

from engine.result import Result, Termination

DATAGRAM_LIMIT = 4096
"""Bytes of a datagram; a position has some 300."""


class BoardInPlay(msgspec.Struct, frozen=True, array_like=True):
    """A position of a game in play; pairs of values are the first and the second player's."""

    worker: int
    """Process id of the sender."""
    pair: int
    """Key of the pair in the database."""
    game: int
    """0 if the pair's A moves first, 1 if its B does."""
    board: str
    names: tuple[str, str]
    opening: int
    """Number of plies of the opening, which both games of the pair share."""
    moves: tuple[int, ...]
    """Columns, including the opening."""
    values: tuple[float | None, float | None]
    """Value of each side's latest move, -1..1 for that side; None if it reported none."""
    last_us: tuple[int, int]
    """Time of each side's latest move, 0 before it."""
    time_us: tuple[int, int]
    """Time of all moves of a side."""
    time_ms: tuple[int | None, int | None]
    """Time budget of a move; None if the budget is of another kind."""
    result: Result | None = None
    """None until the game is over."""
    termination: Termination | None = None
    left_us: tuple[int | None, int | None] = (None, None)
    """What a side has left of its clock or overage; None if it has neither."""


PERIOD_NS = 50_000_000
"""Shortest time between two positions of a worker, and between two searches for a listener."""
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(BoardInPlay)


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


class BroadcastListener:
    """The receiving end; datagrams that are not positions are ignored."""

    def __init__(self, channel: str) -> None:
        """Start to listen.

        Raises:
            OSError: the channel already has a listener.

        """
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        try:
            self._socket.setblocking(False)
            self._socket.bind(f"\0{channel}")
        except OSError:
            self._socket.close()
            raise

    def fileno(self) -> int:
        """Return the descriptor that is readable when a datagram has come."""
        return self._socket.fileno()

    def receive(self) -> BoardInPlay | None:
        """Return the next position, or None if nothing has come."""
        while True:
            try:
                return _decoder.decode(self._socket.recv(DATAGRAM_LIMIT))
            except BlockingIOError:
                return None
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue

    def close(self) -> None:
        """Stop listening; senders notice by themselves."""
        self._socket.close()
