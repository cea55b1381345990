"""Hosts a course program on pipes: ``python start_host.py saiblo FOLDER PROGRAM [ARGUMENTS]``.

There are two formats. In text, the program reads ``M N noX noY`` once, and for each of its turns a
line ``lastX lastY`` (-1 -1 before the first move), a line of N tops, and M lines of N cells (0
empty, 1 the opponent, 2 itself); it answers ``x y``. In JSON, each message to the program is its
length as four decimal digits and an object: type 0 begins a game, type 1 is a turn, type 2 ends the
game; it answers ``{"X": x, "Y": y}``. Each answer has its length before it (four bytes,
big-endian). x counts down from the top-left corner. Each game starts a new process.

A program whose files hold the word ``lastx`` speaks JSON, others text. One that ends before its
first answer is started once more with the other format.

Self-contained: the standard library of Python 3.8, and no package of this project.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import Iterator, List, Optional

from .child_program import ChildProgram, Ended, name_of
from .course_board import CourseBoard
from .host_loop import Failure, Host, Message

Point = Optional[List[int]]
LONGEST = 1024
"""Longest answer in bytes; plain text without a length would seem to announce far more."""
END_S = 0.5
"""Time in which a program may end by itself after the game, in seconds."""
JSON_WORD = b"lastx"
"""The word by which a program that speaks JSON is known."""
WAITING_S = 0.5
"""A program that sleeps for longer before its first answer waits for another format."""
GIVEN_UP = [-2, -2]
"""The point by which a program gives the game up."""


class TextFormat:
    """Lines of numbers."""

    name = "text"
    end = b""

    def start(self, board: CourseBoard) -> bytes:
        """Return the beginning of a game."""
        return f"{board.rows} {board.columns} {board.no_x} {board.no_y}\n".encode()

    def turn(self, board: CourseBoard) -> bytes:
        """Return a turn of the program."""
        width = board.columns
        cells = [board.cells[at : at + width] for at in range(0, len(board.cells), width)]
        rows = [board.last, board.top, *cells]
        return "".join(" ".join(map(str, row)) + "\n" for row in rows).encode()

    def point(self, text: bytes) -> Point:
        """Return the point of an answer."""
        try:
            x, y = map(int, text.split())
        except ValueError:
            raise Failure(f"the program answered {text!r} where `x y` is wanted") from None
        return [x, y]


class JsonFormat:
    """Messages in JSON."""

    name = "JSON"
    end = b'0010{"type":2}'

    def start(self, board: CourseBoard) -> bytes:
        """Return the beginning of a game."""
        return packed(type=0, row=board.rows, col=board.columns, nox=board.no_x, noy=board.no_y)

    def turn(self, board: CourseBoard) -> bytes:
        """Return a turn of the program."""
        x, y = board.last
        return packed(type=1, top=board.top, board=board.cells, lastx=x, lasty=y)

    def point(self, text: bytes) -> Point:
        """Return the point of an answer; None if the program gives the game up."""
        try:
            answer = json.loads(text)
            point = [int(answer["X"]), int(answer["Y"])]
        except (ValueError, TypeError, KeyError):
            raise Failure(
                f'the program answered {text!r} where {{"X":x,"Y":y}} is wanted'
            ) from None
        return None if point == GIVEN_UP else point


class SaibloHost(Host):
    """The host of one program."""

    def __init__(self, folder: str, command: list[str]) -> None:
        self.folder = folder
        self.command = command
        self.formats: list[TextFormat | JsonFormat] = [TextFormat(), JsonFormat()]
        if any(holds_json_word(os.path.join(folder, word)) for word in command):
            self.formats.reverse()
        self.failure = ""
        self.has_answered = False
        self.program: ChildProgram | None = None
        self.board: CourseBoard | None = None

    def hello(self, message: Message) -> Message:
        """Introduce the program, which starts with the first game."""
        name = name_of(self.command, self.folder)
        return {"type": "hello", "name": name, "budgets": ["any"]}

    def new_game(self, message: Message) -> Message:
        """Start the program."""
        self.board = board = CourseBoard(message)
        with self.explained():
            try:
                self.start(board)
            except Ended as ended:
                self.start_otherwise(board, ended)
        return {"type": "ready"}

    def move(self, message: Message) -> Message:
        """Show the program the position and return its point."""
        board = self.board
        if board is None:
            raise Failure("a move was asked for before a game began")
        board.follow(message["moves"])
        with self.explained():
            try:
                point = self.ask(board)
            except Ended as ended:
                self.start_otherwise(board, ended)
                point = self.ask(board)
        self.has_answered = True
        if point is None:
            return {"type": "resign"}
        x, y = point
        board.check(x, y, "the program answered")
        return {"type": "move", "ply": message["ply"], "column": y}

    def game_over(self, message: Message) -> None:
        """Send the end of the game, if the format has one, and end the program."""
        end = self.formats[0].end
        if self.program is not None and end:
            try:
                self.program.send(end)
            except Ended:
                self.close()
            else:
                self.close(END_S)
        self.close()

    def start(self, board: CourseBoard) -> None:
        """Start the program, and wait until it has read the beginning of the game."""
        self.close()
        self.program = ChildProgram(self.command, self.folder)
        self.program.send(self.formats[0].start(board))
        self.program.wait_until_read()

    def start_otherwise(self, board: CourseBoard, ended: Ended) -> None:
        """Start the program with the other format, unless it has answered or this was tried."""
        if self.has_answered or self.failure:
            raise ended
        self.failure = str(ended)
        self.formats.reverse()
        self.start(board)

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
        """Name the failure with the other format before that with this one."""
        try:
            yield
        except Failure as failure:
            if not self.failure or self.has_answered:
                raise
            now, before = self.formats
            raise Failure(
                f"{self.failure} (spoken to in {before.name}; in {now.name}, {failure})"
            ) from None

    def ask(self, board: CourseBoard) -> Point:
        """Send the position and receive the program's point."""
        if self.program is None:
            raise Failure("a move was asked for before a game began")
        self.program.send(self.formats[0].turn(board))
        is_attempt = self.failure and not self.has_answered
        if is_attempt and not self.program.wait_for_output(WAITING_S):
            raise Failure("it waits for more input")
        # The first byte reveals plain text, which may be shorter than four bytes.
        head = self.program.read(1)
        head += b"" if head[0] else self.program.read(3)
        length = int.from_bytes(head, "big")
        if head[0] or not 1 <= length <= LONGEST:
            raise Failure(
                "the program's answer must begin with its length in four bytes, big-endian: "
                f"these bytes mean {length}"
            )
        return self.formats[0].point(self.program.read(length))

    def close(self, grace_s: float = 0.0) -> None:
        """Kill the program if it is running, after a time in which it may end by itself."""
        program, self.program = self.program, None
        if program is not None:
            program.close(grace_s)


def packed(**message: object) -> bytes:
    """Return a message in JSON with its length as four decimal digits before it."""
    body = json.dumps(message, separators=(",", ":")).encode()
    return f"{len(body):04d}".encode() + body


def holds_json_word(path: str) -> bool:
    """Return whether a file holds the word by which a program that speaks JSON is known."""
    try:
        with open(path, "rb") as file:
            return JSON_WORD in file.read()
    except OSError:  # an argument that is not a file
        return False


def make_host(folder: str, *command: str) -> Host:
    """Return the host of the program that the command starts in the folder."""
    return SaibloHost(folder, list(command))
