"""The boards in play now, as workers tell them, for the pages that show them.

The socket is bound while a page looks and for a moment after. All pages get the same finished
event, at most a few times a second.
"""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ladder.match.game.broadcast import BoardInPlay, BroadcastListener, channel_name
from ladder.web.live.change_signal import ChangeSignal
from ladder.web.live.events import event
from reports.html.live.boards import board_state

PACE_S = 0.25
"""Between two pictures of the boards."""
LINGER_S = 3.0
"""After the last page has gone: a page that is loaded again finds its boards at once."""
ENDED_S = 10.0
"""For so long the last position of a worker's last game is shown."""
MOST = 64
"""Boards that are shown."""


@dataclass(slots=True)
class _Shown:
    """The latest position that a worker has sent."""

    board: BoardInPlay
    came: float
    """When (`time.monotonic`)."""


class Boards:
    """Receives positions in the loop of the server.

    Attributes:
        frame: the event that draws all boards as they are; empty: there is nothing to draw.

    """

    def __init__(self, database: str, news: ChangeSignal) -> None:
        self.frame = b""
        self._is_taken = False
        """Whether another server shows the boards of this database."""
        self._database = database
        self._news = news
        self._watchers = 0
        self._listener: BroadcastListener | None = None
        self._channel: str | None = None
        self._by_worker: dict[int, _Shown] = {}
        self._is_new = False
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Listen while the block runs."""
        self._watchers += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._listen())
        try:
            yield
        finally:
            self._watchers -= 1

    def close(self) -> None:
        """Listen no more."""
        if self._task is not None:
            self._task.cancel()
        self._unbind()

    async def _listen(self) -> None:
        left = time.monotonic()
        try:
            while self._watchers or time.monotonic() - left < LINGER_S:
                if self._watchers:
                    left = time.monotonic()
                self._bind()
                self._draw()
                await asyncio.sleep(PACE_S)
        finally:
            self._unbind()

    def _bind(self) -> None:
        """Listen at the name of the file that is there now."""
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
        self._by_worker.clear()
        self.frame = b""

    def _receive(self) -> None:
        assert self._listener is not None  # noqa: S101 - its reader is removed before it
        now = time.monotonic()
        for _ in range(MOST):  # then the loop goes round: others wait, too
            received = self._listener.receive()
            if received is None:
                return
            worker, board = received
            if worker in self._by_worker or len(self._by_worker) < MOST:
                self._by_worker[worker] = _Shown(board, now)
                self._is_new = True

    def _draw(self) -> None:
        """Make the event of now, where something has changed."""
        now = time.monotonic()
        gone = [
            worker
            for worker, shown in self._by_worker.items()
            if not _is_alive(worker)
            or (shown.board.result is not None and now - shown.came > ENDED_S)
        ]
        for worker in gone:
            del self._by_worker[worker]
        if not (self._is_new or gone):
            return
        self._is_new = False
        states = []
        for worker, shown in sorted(self._by_worker.items()):
            state = board_state(shown.board, worker, shown_for_s=now - shown.came)
            if state is not None:
                states.append(state)
        self.frame = event("boards", {"boards": states, "taken": self._is_taken})
        self._news.ring()


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True
