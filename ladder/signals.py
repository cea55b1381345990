"""Ctrl-C, SIGTERM and SIGHUP: a wish to stop that whoever waits or works for long looks at.

Python runs a signal's handler between any two instructions of the main thread: in the callback of a
weak reference, in a destructor, or while a library holds a lock. An exception raised there is
printed and lost, or leaves the lock behind. So the handler raises nothing. It notes the wish and
makes a file descriptor readable:

- a wait watches that descriptor beside its own (`wait_ready`, `wait_child`, `poll_of`, `pause`),
  and work in many steps asks between them (`check_stop`); both raise `Stopped` where that is safe;
- whoever has something to save looks at `is_stop_wished` inside `stops_heeded`;
- what does neither, because a library works or waits, is given `GRACE_S` seconds. Then SIGALRM ends
  the process from inside its handler, as SIGKILL would, which the stored games survive.

The first signal counts, and whatever follows it changes nothing: a stop is quick and always saves.
"""

import contextlib
import os
import select
import signal
import subprocess
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

from ladder.errors import ExitCode, Stopped

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE_S = 1.0
"""Seconds from the wish to the end of a process that neither waits here nor asks."""

_wished = False
_heeding = 0
"""How many blocks of `stops_heeded` are open."""
_obeyed = False
"""Whether the command is on its way to its end because of the wish."""
_wake: int | None = None
"""Readable from the wish on (an eventfd); None: nobody listens in this process."""
_last_words: list[Callable[[], object]] = []
"""Called before a sudden end."""

Poll = Callable[[float], list[tuple[int, int]]]
"""The type of `select.poll().poll`: waits for so many milliseconds and tells what has happened."""


def listen_for_stops() -> None:
    """From now on the signals are wishes. A SIGHUP that is ignored stays so: that is `nohup`."""
    global _wake
    if _wake is None:
        _wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
    signal.signal(signal.SIGALRM, _end_suddenly)
    for number in _ours():
        signal.signal(number, _wish)


def end_listening() -> None:
    """The command has ended: what is left is the end of the interpreter, which nothing may disturb.

    Not by SIG_IGN: Python complains of a signal that came before and was not served yet.
    """
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number in (*_ours(), signal.SIGALRM):
        signal.signal(number, _nothing)
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)


def is_stop_wished() -> bool:
    """Whether the user wants the command to end."""
    return _wished


def check_stop() -> None:
    """A place where the command may end.

    Raises:
        Stopped: the user wants it to.

    """
    if _wished:
        _obey()


@contextlib.contextmanager
def stops_heeded() -> Iterator[None]:
    """Inside the block a wish ends nothing by itself.

    The block looks at `is_stop_wished` at least every second, saves, and leaves. After it nothing
    is cut off, either: what remains is to tell what was done.
    """
    global _heeding, _obeyed
    _heeding += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        _obeyed = _obeyed or _wished
        _heeding -= 1


@contextlib.contextmanager
def before_sudden_end(action: Callable[[], object]) -> Iterator[None]:
    """Inside the block `action` is called when the process has to end at once."""
    _last_words.append(action)
    try:
        yield
    finally:
        _last_words.remove(action)


# Waits that end with the wish.


def wait_ready(*descriptors: int, timeout_s: float | None = None) -> list[int]:
    """Wait until some of the descriptors can be read; which, none after the timeout.

    Raises:
        Stopped: the user wants the command to end.

    """
    poller = select.poll()
    for descriptor in descriptors:
        poller.register(descriptor, select.POLLIN)
    if _wake is not None:
        poller.register(_wake, select.POLLIN)
    ready = poller.poll(None if timeout_s is None else max(0.0, timeout_s) * 1000)
    check_stop()
    return [descriptor for descriptor, _ in ready]


def pause(seconds: float) -> None:
    """Sleep.

    Raises:
        Stopped: the user wants the command to end.

    """
    wait_ready(timeout_s=seconds)


def wait_child(process: "subprocess.Popen[bytes]", timeout_s: float | None = None) -> int:
    """Wait for the end of a child process; its exit status. The caller ends a child that is left.

    Raises:
        Stopped: the user wants the command to end.
        subprocess.TimeoutExpired: it still runs.

    """
    descriptor = os.pidfd_open(process.pid)
    try:
        ready = wait_ready(descriptor, timeout_s=timeout_s)
    finally:
        os.close(descriptor)
    if not ready and timeout_s is not None:
        raise subprocess.TimeoutExpired(process.args, timeout_s)
    return process.wait()


def poll_of(descriptor: int, events: int = select.POLLIN, *, hang_up: int | None = None) -> Poll:
    """A poll of one descriptor that raises Stopped when the wish comes while it waits.

    Where nobody listens, as in a worker, it is the bare system call. With a timeout of 0 it does
    not wait, and so does not raise.

    Args:
        descriptor: the one to wait for; it comes first in the answer.
        events: what to wait for.
        hang_up: a pipe whose other end is watched, too; what lies in it ends no wait.

    """
    poller = select.poll()
    poller.register(descriptor, events)
    if hang_up is not None:
        poller.register(hang_up, 0)
    if _wake is None:
        return poller.poll
    poller.register(_wake, select.POLLIN)

    def poll(timeout_ms: float) -> list[tuple[int, int]]:
        found = poller.poll(timeout_ms)
        if timeout_ms:
            check_stop()
        return [each for each in found if each[0] != _wake]

    return poll


# Handlers.


def _wish(number: int, frame: FrameType | None) -> None:
    global _wished
    del number, frame
    if _wished:
        return
    _wished = True
    if _wake is not None:
        os.eventfd_write(_wake, 1)
    if not _heeding:
        signal.setitimer(signal.ITIMER_REAL, GRACE_S)


def _end_suddenly(number: int, frame: FrameType | None) -> None:
    del number, frame
    if _heeding or _obeyed:
        return
    for action in reversed(_last_words):
        with contextlib.suppress(Exception):
            action()
    with contextlib.suppress(OSError):
        os.write(2, b"ladder: stopped\n")
    os._exit(ExitCode.STOPPED)


def _nothing(number: int, frame: FrameType | None) -> None:
    del number, frame


def _obey() -> NoReturn:
    """The wish is heard at a safe place; what follows is tidying up, which is not cut off."""
    global _obeyed
    _obeyed = True
    signal.setitimer(signal.ITIMER_REAL, 0)
    raise Stopped


def _ours() -> list[signal.Signals]:
    nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [number for number in SIGNALS if not (nohup and number is signal.SIGHUP)]
