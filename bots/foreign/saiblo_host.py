"""Hosts a course program on text pipes: ``python start_host.py saiblo FOLDER PROGRAM [ARGUMENTS]``.

The program reads ``M N noX noY`` once. For each of its turns it reads a line ``lastX lastY`` (-1 -1
before the first move), a line of N tops, and M lines of N cells (0 empty, 1 the opponent, 2
itself); it answers with a length (four bytes, big-endian) and ``x y`` as text of that length. x
counts down from the top-left corner. There is no message for the end of a game, so each game starts
a new process.

Self-contained: the standard library of Python 3.8, and no package of this project.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import sys
import termios
import time
from typing import IO

from .course_board import CourseBoard
from .host_loop import Failure, Host, Message

LONGEST = 1024
"""Longest answer in bytes; plain text without a length would seem to announce far more."""
LOADING_S = 8.0
"""Longest wait for a program to read its first line, in seconds."""


class SaibloHost(Host):
    """The host of one program."""

    def __init__(self, folder: str, command: list[str]) -> None:
        self.folder = folder
        self.command = command
        self.child: subprocess.Popen[bytes] | None = None
        self.board: CourseBoard | None = None

    def hello(self, message: Message) -> Message:
        """Introduce the program, which starts with the first game."""
        name = os.path.splitext(os.path.basename(self.command[0]))[0]
        return {"type": "hello", "name": name, "budgets": ["any"]}

    def new_game(self, message: Message) -> Message:
        """Start the program."""
        self.close()
        self.board = board = CourseBoard(message)
        try:
            self.child = subprocess.Popen(
                self.command, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        except OSError as error:
            raise Failure(f"cannot start {self.command[0]}: {error.strerror}") from error
        self.send(f"{board.rows} {board.columns} {board.no_x} {board.no_y}\n")
        self.wait_loaded()
        return {"type": "ready"}

    def move(self, message: Message) -> Message:
        """Show the program the position and return its point."""
        board = self.board
        if board is None:
            raise Failure("a move was asked for before a game began")
        board.follow(message["moves"])
        width = board.columns
        cells = [board.cells[at : at + width] for at in range(0, len(board.cells), width)]
        rows = [board.last, board.top, *cells]
        self.send("".join(" ".join(map(str, row)) + "\n" for row in rows))
        x, y = self.receive()
        board.check(x, y, "the program answered")
        return {"type": "move", "ply": message["ply"], "column": y}

    def game_over(self, message: Message) -> None:
        """End the program, for which there is no message."""
        self.close()

    def wait_loaded(self) -> None:
        """Wait until the program has read the first line of the game.

        There is no other sign that it has loaded, and loading must not count as time of its first
        move.
        """
        stdin, _ = self.pipes()
        deadline = time.monotonic() + LOADING_S
        while count_unread(stdin.fileno()) and time.monotonic() < deadline:
            if self.child is not None and self.child.poll() is not None:
                raise Failure(self.explain_end())
            time.sleep(0.001)

    def send(self, text: str) -> None:
        """Send text to the program."""
        try:
            stdin, _ = self.pipes()
            stdin.write(text.encode())
            stdin.flush()
        except BrokenPipeError:
            raise Failure(self.explain_end()) from None

    def receive(self) -> list[int]:
        """Receive the program's answer, a point."""
        # The first byte reveals plain text, which may be shorter than four bytes.
        head = self.read(1)
        head += b"" if head[0] else self.read(3)
        length = int.from_bytes(head, "big")
        if head[0] or not 1 <= length <= LONGEST:
            raise Failure(
                "the program's answer must begin with its length in four bytes, big-endian: "
                f"these bytes mean {length}"
            )
        text = self.read(length)
        try:
            x, y = map(int, text.split())
        except ValueError:
            raise Failure(f"the program answered {text!r} where `x y` is wanted") from None
        return [x, y]

    def read(self, count: int) -> bytes:
        """Read exactly this many bytes of the program's output."""
        _, stdout = self.pipes()
        data = stdout.read(count)
        if len(data) < count:
            raise Failure(self.explain_end())
        return data

    def pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        """Return the program's standard input and output."""
        if self.child is None or self.child.stdin is None or self.child.stdout is None:
            raise Failure("a move was asked for before a game began")
        return self.child.stdin, self.child.stdout

    def explain_end(self) -> str:
        """Explain why the program's output has ended."""
        if self.child is None:
            return "the program was not started"
        try:
            code = self.child.wait(1)
        except subprocess.TimeoutExpired:
            return "the program closed its input or output"
        if code < 0:
            return f"the program was killed by signal {-code}"
        return f"the program exited with status {code} in the middle of the game"

    def close(self) -> None:
        """Kill the program if it is running."""
        child, self.child = self.child, None
        if child is None:
            return
        child.kill()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        child.wait()


def count_unread(pipe: int) -> int:
    """Return the number of unread bytes in a pipe (on Linux either end has it)."""
    count = bytearray(4)
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return int.from_bytes(count, sys.byteorder)


def make_host(folder: str, *command: str) -> Host:
    """Return the host of the program that the command starts in the folder."""
    return SaibloHost(folder, list(command))
