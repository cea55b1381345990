"""Requests to stop by SIGINT, SIGTERM and SIGHUP, and waits that end with such a request.

Python runs a signal handler between any two instructions of the main thread: in a destructor, in
the callback of a weak reference, or while a library holds a lock. An exception raised there is
printed and lost, or leaves the lock held. So the handlers raise nothing: they set the flag of a
`StopToken` and make its file descriptor readable.

- A wait also watches that descriptor (`StopToken.wait_ready` and the methods built on it), and work
  in many steps calls `StopToken.check` between them. Both raise `Stopped` where that is safe.
- Code that has something to save runs inside `StopToken.defer` and polls `is_requested`.
- Code that does neither, because a library computes or waits, gets `GRACE_S` seconds. Then SIGALRM
  ends the process from inside its handler, as SIGKILL would; the stored games survive that.

Signals after the first one change nothing.
"""

import contextlib
import os
import select
import signal
import subprocess
from collections.abc import Callable, Iterator
from types import FrameType

from ladder.errors import ExitCode, Stopped

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE_S = 1.0
"""Seconds from a request to the end of a process that neither waits nor checks."""

Poll = Callable[[float], list[tuple[int, int]]]
"""The type of `select.poll().poll`: takes milliseconds, returns descriptors and their events."""


class StopToken:
    """A request to stop, made by a signal or by `request`.

    Waits return early only for requests made after `listen`; without it the token is a flag.
    """

    def __init__(self) -> None:
        self._is_requested = False
        self._open_defers = 0
        """Number of `defer` blocks that are open."""
        self._is_ending = False
        """Whether the process is cleaning up because of the request, which is not cut off."""
        self._wake: int | None = None
        """An eventfd, readable once a stop is requested; None before `listen`."""
        self._exit_actions: list[Callable[[], object]] = []

    def listen(self) -> None:
        """Install the signal handlers; an ignored SIGHUP (`nohup`) stays ignored."""
        if self._wake is None:
            self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        signal.signal(signal.SIGALRM, self._exit_now)
        for number in _handled_signals():
            signal.signal(number, lambda *_: self.request())

    def end_listening(self) -> None:
        """Ignore further signals, so that nothing disturbs the end of the interpreter.

        SIG_IGN would not do: Python warns of a signal that arrived before and is still pending.
        """
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number in (*_handled_signals(), signal.SIGALRM):
            signal.signal(number, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)

    def request(self) -> None:
        """Request a stop."""
        if self._is_requested:
            return
        self._is_requested = True
        if self._wake is not None:
            os.eventfd_write(self._wake, 1)
            if not self._open_defers:
                signal.setitimer(signal.ITIMER_REAL, GRACE_S)

    def is_requested(self) -> bool:
        """Return whether the process should end."""
        return self._is_requested

    def check(self) -> None:
        """Raise `Stopped` if a stop is requested."""
        if self._is_requested:
            self._is_ending = True
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise Stopped

    @contextlib.contextmanager
    def defer(self) -> Iterator[None]:
        """Let the block end by itself after a request, and everything after the block, too.

        The block calls `is_requested` at least every second, saves, and leaves.
        """
        self._open_defers += 1
        signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            yield
        finally:
            self._is_ending = self._is_ending or self._is_requested
            self._open_defers -= 1

    @contextlib.contextmanager
    def before_sudden_exit(self, action: Callable[[], object]) -> Iterator[None]:
        """Call `action` if the process has to exit at once while the block runs."""
        self._exit_actions.append(action)
        try:
            yield
        finally:
            self._exit_actions.remove(action)

    def wait_ready(self, *descriptors: int, timeout_s: float | None = None) -> list[int]:
        """Wait until a descriptor is readable; return those that are, none after the timeout.

        Raises:
            Stopped: a stop is requested.

        """
        poller = select.poll()
        for descriptor in descriptors:
            poller.register(descriptor, select.POLLIN)
        if self._wake is not None:
            poller.register(self._wake, select.POLLIN)
        ready = poller.poll(None if timeout_s is None else max(0.0, timeout_s) * 1000)
        self.check()
        return [descriptor for descriptor, _ in ready]

    def pause(self, seconds: float) -> None:
        """Sleep.

        Raises:
            Stopped: a stop is requested.

        """
        self.wait_ready(timeout_s=seconds)

    def wait_child(self, process: "subprocess.Popen[bytes]", timeout_s: float | None = None) -> int:
        """Wait for a child process and return its exit status; the caller kills it on errors.

        Raises:
            Stopped: a stop is requested.
            subprocess.TimeoutExpired: the process still runs.

        """
        descriptor = os.pidfd_open(process.pid)
        try:
            ready = self.wait_ready(descriptor, timeout_s=timeout_s)
        finally:
            os.close(descriptor)
        if not ready and timeout_s is not None:
            raise subprocess.TimeoutExpired(process.args, timeout_s)
        return process.wait()

    def make_poll(
        self, descriptor: int, events: int = select.POLLIN, *, hang_up: int | None = None
    ) -> Poll:
        """Return a poll of one descriptor that raises `Stopped` if a stop is requested meanwhile.

        Without `listen`, as in a worker, it is the bare system call. A poll with a timeout of 0
        does not raise.

        Args:
            descriptor: what to wait for; comes first in the result.
            events: the events to wait for.
            hang_up: a socket whose closing ends the wait, too; data in it does not.

        """
        poller = select.poll()
        poller.register(descriptor, events)
        if hang_up is not None:
            poller.register(hang_up, 0)
        if self._wake is None:
            return poller.poll
        poller.register(self._wake, select.POLLIN)

        def poll(timeout_ms: float) -> list[tuple[int, int]]:
            found = poller.poll(timeout_ms)
            if timeout_ms:
                self.check()
            return [each for each in found if each[0] != self._wake]

        return poll

    def _exit_now(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self._open_defers or self._is_ending:
            return
        for action in reversed(self._exit_actions):
            with contextlib.suppress(Exception):
                action()
        with contextlib.suppress(OSError):
            os.write(2, b"ladder: stopped\n")
        os._exit(ExitCode.STOPPED)


_current = StopToken()
"""The token of this process.

A module global, because signals belong to the process, and the waits that they end lie at the
bottom of every layer: a pipe to a bot, a git command, a compilation.
"""


def current_stop() -> StopToken:
    """Return the token of this process."""
    return _current


@contextlib.contextmanager
def use_stop(token: StopToken) -> Iterator[StopToken]:
    """Make another token the one of this process inside the block, as tests and embedders do."""
    global _current
    former, _current = _current, token
    try:
        yield token
    finally:
        _current = former


def _handled_signals() -> list[signal.Signals]:
    under_nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [number for number in SIGNALS if not (under_nohup and number is signal.SIGHUP)]
