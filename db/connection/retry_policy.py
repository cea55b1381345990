"""Trying again what failed for a passing reason: a server that restarts, a connection that is cut.

The pauses grow and are drawn at random, so that many processes do not come back in one moment.
There is no growing pause after a wait for a lock: that was the pause.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import isgeneratorfunction
from random import uniform
from types import FunctionType
from typing import Any, TypeVar

from db.errors import Busy, TransientError

PATIENCE_S = 300.0
"""Seconds for which a server may be away, long enough for a restart after a crash."""
FIRST_S = 0.1
LONGEST_S = 15.0
"""The first pause and the longest, before half of it is added or taken away by chance."""
GLANCE_S = 0.1
"""How often is looked whether the command is to end."""

T = TypeVar("T")


class RetryPolicy:
    """How long one store waits for its server, and who hears of it.

    Attributes:
        seconds: after which the last error is final.
        report: takes a sentence before each pause and after the last.
        is_stop_requested: whether the command is to end now.

    """

    def __init__(self) -> None:
        self.seconds = PATIENCE_S
        self.report: Callable[[str], None] = lambda _: None
        self.is_stop_requested: Callable[[], bool] = lambda: False
        self._is_held = False

    @contextmanager
    def limited(self, seconds: float) -> Iterator[None]:
        """A block in which no more than so many seconds are waited."""
        former, self.seconds = self.seconds, min(seconds, self.seconds)
        try:
            yield
        finally:
            self.seconds = former

    def hold(self, attempt: Callable[[], T]) -> T:
        """The result of `persist`; within another `hold`, which tries again, of one attempt."""
        if self._is_held:
            return attempt()
        self._is_held = True
        try:
            return self.persist(attempt)
        finally:
            self._is_held = False

    def persist(self, attempt: Callable[[], T]) -> T:
        """The result of an attempt that is repeated while it raises TransientError."""
        began, pause, has_failed = time.monotonic(), FIRST_S, False
        while True:
            try:
                result = attempt()
            except TransientError as error:
                wait = pause * uniform(0.5, 1.5)
                waited = time.monotonic() - began
                if waited + wait > self.seconds or self.is_stop_requested():
                    raise
                self.report(f"{error.problem}: trying again in {wait:.1f} s")
                self._sleep(wait)
                pause = FIRST_S if isinstance(error, Busy) else min(2 * pause, LONGEST_S)
                has_failed = True
            else:
                if has_failed:
                    self.report(f"going on after {time.monotonic() - began:.1f} s")
                return result

    def _sleep(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0 and not self.is_stop_requested():
            time.sleep(min(left, GLANCE_S))


def retried(kind: type[T]) -> type[T]:
    """Let the public methods of a class of queries try again what failed for a passing reason.

    Each is one transaction, or reads before it: none of it is stored when it fails. Generators are
    left as they are, because somebody has their first rows already.
    """
    for name, method in [*vars(kind).items()]:
        if isinstance(method, FunctionType) and name[0] != "_" and not isgeneratorfunction(method):
            setattr(kind, name, _persisting(method))
    return kind


def _persisting(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def persist(self: Any, *arguments: Any, **options: Any) -> Any:
        retry_policy: RetryPolicy = self._database.retry_policy
        return retry_policy.hold(lambda: method(self, *arguments, **options))

    return persist
