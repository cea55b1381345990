"""Detection of changes that other processes make to the database, and of runs that end or die."""

import asyncio
import contextlib
import threading

from db.errors import DatabaseError
from db.records.runs import RunStatus
from db.store import FollowedStore
from ladder.web.live.change_signal import ChangeSignal
from ladder.web.live.reading import ReopenedStore

INTERVAL_S = 0.4
"""Polling interval. Polling reads one number, and tests the locks of running runs."""


class Follower:
    """Polls a database in a thread and signals its changes.

    Attributes:
        version: the number of detected changes.
        problem: a sentence that states why the database cannot be read; None if it can.

    """

    def __init__(self, where: str, changes: ChangeSignal) -> None:
        self.version = 0
        self._changes = changes
        self.problem: str | None = None
        self._store = ReopenedStore(where)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="follower", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._mark: object = None
        """The change mark at which `_running` was read."""
        self._state: object = None
        self._running: list[int] = []

    def start(self) -> None:
        """Start polling; called in the loop of the waiting tasks."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    def close(self) -> None:
        """Stop polling."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join(1.0)

    def _watch(self) -> None:
        while not self._end.wait(INTERVAL_S):
            state, problem = self._poll()
            if (state, problem) != (self._state, self.problem):
                self._state, self.problem = state, problem
                with contextlib.suppress(RuntimeError):  # the loop has ended
                    assert self._loop is not None  # noqa: S101 - started before the thread
                    self._loop.call_soon_threadsafe(self._notify)
        self._store.close()

    def _poll(self) -> tuple[object, str | None]:
        """Return the state of the database and the problem that prevents reading it."""
        try:
            store = self._store.get()
            # Change marks of different connections do not compare.
            mark = self._store.opened, store.change_mark()
            if self._state is None or mark != self._mark:
                self._mark = mark
                self._running = [run.id for run in store.runs.find(status=RunStatus.RUNNING)]
            return (mark, self._find_alive(store)), None
        except DatabaseError as error:
            return None, str(self._store.close_after(error))

    def _find_alive(self, store: FollowedStore) -> tuple[int, ...]:
        """Return the running runs whose process is alive."""
        if not self._running:
            return ()
        with contextlib.suppress(DatabaseError), contextlib.closing(store.run_lock()) as lock:
            return tuple(run for run in self._running if lock.is_alive(run))
        return ()

    def _notify(self) -> None:
        self.version += 1
        self._changes.notify()
