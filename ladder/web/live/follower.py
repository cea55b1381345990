"""Noticing that somebody else has stored something, and that a run has ended or died."""

import asyncio
import contextlib
import threading

from db.errors import DatabaseError
from db.records.runs import RunStatus
from db.store import FollowedStore, Store
from ladder.web.live.change_signal import ChangeSignal

INTERVAL_S = 0.4
"""How often is looked. A look reads one number, and asks for the locks of runs that go on."""


class Follower:
    """Counts the changes of a database in a thread and wakes whoever waits for the next one.

    Attributes:
        version: how many changes were noticed.
        problem: why the database cannot be read now, in a sentence; None: it can.

    """

    def __init__(self, where: str, news: ChangeSignal) -> None:
        self.version = 0
        self._news = news
        self.problem: str | None = None
        self._where = where
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="follower", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._store: FollowedStore | None = None
        self._opened = 0
        """How often the database was opened: marks of different connections do not compare."""
        self._mark: object = None
        """The last state whose running runs were read."""
        self._seen: object = None
        self._running: list[int] = []

    def start(self) -> None:
        """Begin to look; called in the loop in which others wait."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    def close(self) -> None:
        """Stop looking."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join(1.0)

    def _watch(self) -> None:
        while not self._end.wait(INTERVAL_S):
            seen, problem = self._look()
            if (seen, problem) != (self._seen, self.problem):
                self._seen, self.problem = seen, problem
                with contextlib.suppress(RuntimeError):  # the loop has ended
                    assert self._loop is not None  # noqa: S101 - started before the thread
                    self._loop.call_soon_threadsafe(self._announce)
        if self._store is not None:
            self._store.close()

    def _look(self) -> tuple[object, str | None]:
        try:
            if self._store is not None and self._store.is_replaced:
                self._store.close()
                self._store = None
            if self._store is None:
                self._store = Store.follow(self._where)
                self._opened += 1
            mark = self._opened, self._store.change_mark()
            if self._seen is None or mark != self._mark:
                self._mark = mark
                running = self._store.runs.find(status=RunStatus.RUNNING)
                self._running = [run.id for run in running]
            return (mark, self._alive(self._store)), None
        except DatabaseError as error:
            if self._store is not None:
                self._store.close()
                self._store = None
            return None, str(error)

    def _alive(self, store: FollowedStore) -> tuple[int, ...]:
        """Those of the running runs that a living process plays."""
        if not self._running:
            return ()
        with contextlib.suppress(DatabaseError), contextlib.closing(store.run_lock()) as lock:
            return tuple(run for run in self._running if lock.is_alive(run))
        return ()

    def _announce(self) -> None:
        self.version += 1
        self._news.ring()
