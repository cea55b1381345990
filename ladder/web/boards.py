"""Boards in play, as workers broadcast them.

The socket is bound while a page asks for boards and for a moment after. All pages get the same
document, which is made at most a few times a second.
"""

import asyncio
import os
import time
from dataclasses import dataclass

import msgspec

from ladder.match.game.broadcast import BoardInPlay, BroadcastListener, channel_name
from reports.html.live.boards import board_state

PACE_S = 0.25
"""Shortest interval between two documents."""
LINGER_S = 5.0
"""How long to listen after the last request, so that a reloaded page has boards at once."""
ENDED_S = 10.0
"""How long a finished game is shown."""
MAX_BOARDS = 64
"""Largest number of boards shown."""


@dataclass(slots=True)
class _ReceivedBoard:
    """The latest position that a worker sent."""

    board: BoardInPlay
    received_at: float
    """In seconds of `time.monotonic`."""


class Boards:
    """The boards in play, received in the loop of the server.

    Attributes:
        version: the number of documents so far.

    """

    def __init__(self, database: str) -> None:
        self.version = 0
        self._document = b""
        self._is_taken = False
        """Whether another server receives the boards of this database."""
        self._database = database
        self._listener: BroadcastListener | None = None
        self._channel: str | None = None
        self._by_worker: dict[int, _ReceivedBoard] = {}
        self._is_new = True
        self._asked_at = self._drawn_at = 0.0
        self._task: asyncio.Task[None] | None = None

    def document(self) -> bytes:
        """Return the document of all boards, and listen for a while."""
        self._asked_at = time.monotonic()
        if self._task is None or self._task.done():
            self._bind()
            self._task = asyncio.create_task(self._listen())
        if self._asked_at - self._drawn_at >= PACE_S:
            self._draw()
        return self._document

    def close(self) -> None:
        """Stop receiving boards."""
        if self._task is not None:
            self._task.cancel()
        self._unbind()

    async def _listen(self) -> None:
        try:
            while time.monotonic() - self._asked_at < LINGER_S:
                await asyncio.sleep(LINGER_S / 5)
                self._bind()
        finally:
            self._unbind()

    def _bind(self) -> None:
        """Listen on the channel of the database file, which may have been replaced."""
        channel = channel_name(self._database)
        if channel == self._channel:
            return
        self._unbind()
        if channel is None:
            return
        try:
            self._listener = BroadcastListener(channel)
        except OSError:
            self._is_new |= not self._is_taken
            self._is_taken = True
            return
        self._is_new |= self._is_taken
        self._is_taken = False
        self._channel = channel
        asyncio.get_running_loop().add_reader(self._listener.fileno(), self._receive)

    def _unbind(self) -> None:
        if self._listener is not None:
            asyncio.get_running_loop().remove_reader(self._listener.fileno())
            self._listener.close()
        self._listener = self._channel = None
        self._is_new |= bool(self._by_worker)
        self._by_worker.clear()

    def _receive(self) -> None:
        assert self._listener is not None  # noqa: S101 - its reader is removed before it
        now = time.monotonic()
        for _ in range(MAX_BOARDS):  # then other tasks of the loop get their turn
            board = self._listener.receive()
            if board is None:
                return
            worker = board.worker
            if worker in self._by_worker or len(self._by_worker) < MAX_BOARDS:
                self._by_worker[worker] = _ReceivedBoard(board, now)
                self._is_new = True

    def _draw(self) -> None:
        """Make the document again if a board has changed."""
        now = self._drawn_at = time.monotonic()
        removed = [
            worker
            for worker, shown in self._by_worker.items()
            if not _is_alive(worker)
            or (shown.board.result is not None and now - shown.received_at > ENDED_S)
        ]
        for worker in removed:
            del self._by_worker[worker]
        if not (self._is_new or removed):
            return
        self._is_new = False
        states = []
        for _, shown in sorted(self._by_worker.items()):
            state = board_state(shown.board, shown_for_s=now - shown.received_at)
            if state is not None:
                states.append(state)
        self._document = msgspec.json.encode({"boards": states, "taken": self._is_taken})
        self.version += 1


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True
