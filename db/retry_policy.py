"""Retries of what failed for the moment, such as a server that restarts or a lost connection.

Pauses double from 0.1 s to 15 s, each times a random factor, so that many processes do not return
at once. After a wait for a lock, which was a pause itself, the next pause is the shortest again.
"""

import math
import time
from collections.abc import Callable
from functools import wraps
from inspect import isgeneratorfunction
from random import uniform
from types import FunctionType
from typing import Any, TypeVar

from db.errors import Busy, TransientError

MAX_WAIT_S = 300.0
"""How long to wait for a server that does not answer, or for the write lock, in seconds: enough for
a restart, and for the conversion of a large file."""
FIRST_PAUSE_S = 0.1
MAX_PAUSE_S = 15.0
"""The first and the longest pause, before the random factor of 0.5 to 1.5."""
STOP_POLL_S = 0.1
"""Seconds between two checks whether the command should stop."""

T = TypeVar("T")


class RetryPolicy:
    """How long one store waits for its server or the write lock, and where it reports that.

    Attributes:
        seconds: time after which the last error is raised.
        report: called with a sentence before each pause, and after success.
        is_stop_requested: whether the command should stop, which ends the retries.

    """

    def __init__(self, seconds: float = MAX_WAIT_S) -> None:
        self.seconds = seconds
        self.report: Callable[[str], None] = lambda _: None
        self.is_stop_requested: Callable[[], bool] = lambda: False
        self._is_retrying = False

    def retry(self, attempt: Callable[[], T], answer_s: float = math.inf) -> T:
        """Return the result of an attempt, repeated while it raises TransientError.

        Inside another such call, which retries, attempt only once.

        Args:
            attempt: what to try.
            answer_s: longest wait for a server that does not answer, in seconds.

        """
        if self._is_retrying:
            return attempt()
        self._is_retrying = True
        began, pause, is_repeated = time.monotonic(), FIRST_PAUSE_S, False
        try:
            while True:
                try:
                    result = attempt()
                except TransientError as error:
                    is_busy, is_repeated = isinstance(error, Busy), True
                    wait = pause * uniform(0.5, 1.5)
                    longest = self.seconds if is_busy else min(self.seconds, answer_s)
                    if time.monotonic() - began + wait > longest or self.is_stop_requested():
                        raise
                    self.report(f"{error.problem}; trying again in {wait:.1f} s")
                    self._sleep(wait)
                    pause = FIRST_PAUSE_S if is_busy else min(2 * pause, MAX_PAUSE_S)
                else:
                    if is_repeated:
                        self.report(f"continuing after {time.monotonic() - began:.1f} s")
                    return result
        finally:
            self._is_retrying = False

    def _sleep(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0 and not self.is_stop_requested():
            time.sleep(min(left, STOP_POLL_S))


def retried(cls: type[T]) -> type[T]:
    """Let the public methods of a class retry transient errors.

    A method that writes can be repeated safely after a `TransientError`, which means that nothing
    was stored. Generators are not retried, because the caller already has their first rows.
    """
    for name, method in [*vars(cls).items()]:
        if isinstance(method, FunctionType) and name[0] != "_" and not isgeneratorfunction(method):
            setattr(cls, name, _retried(method))
    return cls


def _retried(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        retry_policy: RetryPolicy = self._database.retry_policy
        return retry_policy.retry(lambda: method(self, *arguments, **options))

    return call
