"""Ending of the solver's searches at a limit of time or at a stop request.

The engine reads no clock, so it searches in another thread while the caller's watches the time and
stop requests.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from engine.solver.solver import Solver

POLL_S = 0.05
"""Longest time between two checks of the clock and of stop requests."""

T = TypeVar("T")


class SearchWatch:
    """Ends searches, whose solvers then return the bounds found so far.

    Args:
        solvers: the solvers that search in other threads.
        is_over: called in the caller's thread, before the searches and while they last; once it is
            true, they end.
        seconds: time limit from now; None for none.

    """

    def __init__(
        self,
        solvers: "Sequence[Solver]",
        is_over: Callable[[], bool],
        *,
        seconds: float | None = None,
    ) -> None:
        self._solvers = solvers
        self._is_over = is_over
        self._end = None if seconds is None else time.monotonic() + seconds
        self._until = self._end
        """End of the current share of the time."""
        self._is_ended = False
        self._lock = Lock()

    def share_time(self, left: int) -> None:
        """Give the next of `left` searches an equal share of the remaining time."""
        if self._end is None:
            return
        with self._lock:
            now = time.monotonic()
            self._until = now + max(0.0, self._end - now) / left
            if not self._is_ended:
                self._stop(is_requested=False)

    def wait(self, search: Callable[[], T]) -> T:
        """Run a search in another thread and return its result."""
        try:
            with ThreadPoolExecutor(1) as pool:
                self._check()
                result = pool.submit(search)
                try:
                    while not wait([result], timeout=self._poll_s()).done:
                        self._check()
                finally:
                    self._end_all()  # also if a check failed: the pool waits for its thread
            return result.result()
        finally:
            self._stop(is_requested=False)

    def _check(self) -> None:
        """End the searches if it is time."""
        if self._is_over():
            self._end_all()
        with self._lock:
            if self._until is not None and time.monotonic() >= self._until:
                self._stop()

    def _end_all(self) -> None:
        with self._lock:
            self._is_ended = True
            self._stop()

    def _stop(self, *, is_requested: bool = True) -> None:
        for solver in self._solvers:
            solver.stop(is_requested=is_requested)

    def _poll_s(self) -> float:
        if self._until is None:
            return POLL_S
        return min(POLL_S, max(0.001, self._until - time.monotonic()))
