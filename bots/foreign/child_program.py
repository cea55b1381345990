"""A program that a host starts and talks to over pipes.

Self-contained: the standard library of Python 3.8, and no package of this project.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import subprocess
import sys
import termios
import time
from typing import IO, Iterator

from .host_loop import Failure

LOADING_S = 8.0
"""Longest wait for a program to load, in seconds."""
LOOK_S = 0.01
"""Time between two looks at a program that loads, in seconds."""
BLOCK = 65536


class Ended(Failure):
    """The program has ended, or has closed its input or output."""


class ChildProgram:
    """A running program with pipes to its input and output."""

    def __init__(self, command: list[str], folder: str) -> None:
        self.rest = b""
        try:
            self.child = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        except OSError as error:
            raise Failure(f"cannot start {command[0]}: {error.strerror}") from error

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self.child.poll() is None

    @property
    def stdin(self) -> IO[bytes]:
        """The pipe to its input."""
        assert self.child.stdin is not None  # noqa: S101 - Popen was asked for a pipe
        return self.child.stdin

    @property
    def output(self) -> int:
        """The descriptor of its output."""
        assert self.child.stdout is not None  # noqa: S101 - Popen was asked for a pipe
        return self.child.stdout.fileno()

    def send(self, data: bytes) -> None:
        """Write data to its input."""
        try:
            self.stdin.write(data)
            self.stdin.flush()
        except BrokenPipeError:
            raise Ended(self.explain_end()) from None

    def end_input(self) -> None:
        """Close its input."""
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()

    def read(self, count: int) -> bytes:
        """Read exactly this many bytes of its output."""
        while len(self.rest) < count:
            self.rest += self._read_block()
        data, self.rest = self.rest[:count], self.rest[count:]
        return data

    def read_line(self) -> str:
        """Read a line of its output, or what it has written at its end."""
        while b"\n" not in self.rest:
            block = os.read(self.output, BLOCK)
            if not block and not self.rest:
                raise Ended(self.explain_end())
            self.rest += block or b"\n"
        line, _, self.rest = self.rest.partition(b"\n")
        return line.decode(errors="replace")

    def unread_lines(self) -> list[str]:
        """Return the lines that it has written and that were not read, without waiting."""
        while select.select([self.output], [], [], 0)[0]:
            block = os.read(self.output, BLOCK)
            if not block:
                break
            self.rest += block
        *lines, self.rest = self.rest.split(b"\n")
        return [line.decode(errors="replace") for line in lines]

    def _read_block(self) -> bytes:
        block = os.read(self.output, BLOCK)
        if not block:
            raise Ended(self.explain_end())
        return block

    def wait_until_read(self) -> None:
        """Wait until it has read what was sent, which is a sign that it has loaded.

        Loading must not count as time of its first move.
        """
        deadline = time.monotonic() + LOADING_S
        while count_unread(self.stdin.fileno()) and time.monotonic() < deadline:
            if not self.is_running:
                raise Ended(self.explain_end())
            time.sleep(0.001)

    def wait_until_idle(self) -> None:
        """Wait until it and its children sleep, as programs do that have loaded and read a pipe.

        Where /proc does not show that, as in a sandbox, return at once.
        """
        if not os.path.exists("/proc/self/schedstat"):
            return
        deadline = time.monotonic() + LOADING_S
        used, before = processor_time(self.child.pid), -1
        while self.is_running and time.monotonic() < deadline and (used is None or used != before):
            time.sleep(LOOK_S)
            used, before = processor_time(self.child.pid), -1 if used is None else used

    def wait_for_output(self, idle_s: float) -> bool:
        """Wait until it writes or ends; return False if it first sleeps for a time."""
        used, since = None, time.monotonic()
        while not select.select([self.output], [], [], LOOK_S)[0]:
            now = processor_time(self.child.pid)
            if now is None or now != used:
                used, since = now, time.monotonic()
            if time.monotonic() - since > idle_s:
                return False
        return True

    def explain_end(self) -> str:
        """Explain why its output has ended."""
        try:
            code = self.child.wait(1)
        except subprocess.TimeoutExpired:
            return "the program closed its input or output"
        if code < 0:
            return f"the program was killed by signal {-code}"
        return f"the program exited with status {code} in the middle of the game"

    def close(self, grace_s: float = 0.0) -> None:
        """Kill it, after a time in which it may end by itself."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(grace_s)
        self.child.kill()
        for pipe in (self.child.stdin, self.child.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        self.child.wait()


def name_of(command: list[str], folder: str) -> str:
    """Return the name of a bot: its first file's, or its program's."""
    own = (word for word in command if not os.path.isabs(word))
    files = (word for word in own if os.path.isfile(os.path.join(folder, word)))
    return os.path.splitext(os.path.basename(next(files, command[0])))[0]


def count_unread(pipe: int) -> int:
    """Return the number of unread bytes in a pipe (on Linux either end has it)."""
    count = bytearray(4)
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return int.from_bytes(count, sys.byteorder)


def processor_time(pid: int) -> int | None:
    """Return the nanoseconds that a process and its children have computed.

    None if one of their threads computes, waits for a processor or a disk, or has just ended.
    """
    total = 0
    try:
        for task in _tasks(pid):
            with open(f"{task}/stat", "rb") as file:
                if file.read().rpartition(b")")[2].split()[0] not in (b"S", b"Z"):
                    return None
            with open(f"{task}/schedstat", "rb") as file:
                total += int(file.read().split()[0])
    except OSError:
        return None
    return total


def _tasks(pid: int) -> Iterator[str]:
    """Yield the folder of each thread of a process and its children in /proc."""
    for name in os.listdir(f"/proc/{pid}/task"):
        task = f"/proc/{pid}/task/{name}"
        yield task
        with contextlib.suppress(FileNotFoundError), open(f"{task}/children", "rb") as file:
            for child in file.read().split():
                yield from _tasks(int(child))
