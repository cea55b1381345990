"""Boards in play, as workers broadcast them.

The socket is bound while a page asks for boards and for a moment after.
"""

import asyncio
import time
from dataclasses import dataclass

import msgspec
import psutil

from ladder.match.game.broadcast import BoardInPlay, BroadcastListener
from ladder.runs.channel import channel_name
from reports.html.live.games import board_state

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

    def is_over(self, now: float) -> bool:
        """Return whether it is no longer shown."""
        has_ended = self.board.result is not None and now - self.received_at > ENDED_S
        return has_ended or not psutil.pid_exists(self.board.worker)


class Boards:
    """The boards in play, received in the loop of the server.

    Attributes:
        version: changes when a board does.

    """

    def __init__(self, database: str) -> None:
        self.version = 0
        self._database = database
        self._listener: BroadcastListener | None = None
        self._channel: str | None = None
        self._by_worker: dict[int, _ReceivedBoard] = {}
        self._asked_at = 0.0
        self._task: asyncio.Task[None] | None = None

    def document(self) -> bytes:
        """Return the document of all boards, and listen for a while."""
        now = self._asked_at = time.monotonic()
        if self._task is None or self._task.done():
            self._bind()
            self._task = asyncio.create_task(self._listen())
        for worker in [each for each, shown in self._by_worker.items() if shown.is_over(now)]:
            del self._by_worker[worker]
            self.version += 1
        states = [
            board_state(shown.board, shown_for_s=now - shown.received_at)
            for _, shown in sorted(self._by_worker.items())
        ]
        return msgspec.json.encode({"boards": [state for state in states if state is not None]})

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
            return  # another server receives the boards of this database
        self._channel = channel
        asyncio.get_running_loop().add_reader(self._listener.fileno(), self._receive)

    def _unbind(self) -> None:
        if self._listener is not None:
            asyncio.get_running_loop().remove_reader(self._listener.fileno())
            self._listener.close()
        self._listener = self._channel = None
        self.version += bool(self._by_worker)
        self._by_worker.clear()

    def _receive(self) -> None:
        assert self._listener is not None  # noqa: S101 - its reader is removed before it
        now = time.monotonic()
        for _ in range(MAX_BOARDS):  # then other tasks of the loop get their turn
            board = self._listener.receive()
            if board is None:
                return
            if board.worker in self._by_worker or len(self._by_worker) < MAX_BOARDS:
                self._by_worker[board.worker] = _ReceivedBoard(board, now)
                self.version += 1
