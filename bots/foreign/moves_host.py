"""Hosts an engine that reads the moves as a line and writes a column.

``python start_host.py moves FOLDER FIRST ANSWER RUN BOARDS PROGRAM [ARGUMENTS]``: the numbers of
columns start with FIRST, 1 or 0. The line holds the columns of all moves, as digits without
separator up to nine columns, else with commas between them; it is empty at the start.

ANSWER is ``column``, the last integer of a line, or ``scores``, the last numbers of a line, one for
each column, of which the best legal one is played, ties to the middle. Lines without an integer go
to standard error. RUN is ``once``, a process for all moves, or ``each``, a process for each move.
In the command ``{moves}``, ``{time_ms}``, ``{rows}`` and ``{columns}`` are replaced; a command with
``{moves}`` does not get the line on standard input.

Self-contained: the standard library of Python 3.8, and no package of this project.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Iterable

from .child_program import ChildProgram, Ended, name_of
from .host_loop import Failure, Host, Illegal, Message

INTEGER = re.compile(r"(?<![\w.])[-+]?\d+(?!\w|\.\d)")
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|inf)(?!\w)")
MOST_DIGITS = 9
"""Most columns whose numbers are written without a separator."""
MOVES, TIME = "{moves}", "{time_ms}"


class MovesHost(Host):
    """The host of one engine."""

    def __init__(
        self, folder: str, first: int, answer: str, run: str, boards: str, command: list[str]
    ) -> None:
        self.folder = folder
        self.first = first
        self.has_scores = answer == "scores"
        self.is_kept = run == "once"
        self.boards = boards.split(",")
        self.command = command
        self.started: list[str] = []
        self.program: ChildProgram | None = None
        self.game: Message = {}
        self.values: dict[str, Any] = {}

    def hello(self, message: Message) -> Message:
        """Introduce the engine, which starts with the first game."""
        name = name_of(self.command, self.folder)
        knows_time = any(TIME in word for word in self.command)
        return {
            "type": "hello",
            "name": name,
            "budgets": ["time"] if knows_time else ["any"],
            "boards": self.boards,
        }

    def new_game(self, message: Message) -> Message:
        """Start the engine unless it is running for such games."""
        self.game = message
        self.values = {
            TIME: message["budget"].get("time_ms", ""),
            "{rows}": message["rows"],
            "{columns}": message["columns"],
        }
        if self.is_kept:
            self.start_kept()
        return {"type": "ready"}

    def move(self, message: Message) -> Message:
        """Send the moves to the engine and return its column."""
        if not self.game:
            raise Failure("a move was asked for before a game began")
        moves = message["moves"]
        separator = "" if self.game["columns"] <= MOST_DIGITS else ","
        line = separator.join(str(column + self.first) for column in moves)
        try:
            answer = self.ask_kept(line) if self.is_kept else self.ask_new(line)
        except Ended as ended:
            text = f"{ended} after the line {line!r}, whose columns count from {self.first}"
            raise Failure(text) from None
        column = self.best(answer, moves) if self.has_scores else self.column(answer)
        return {"type": "move", "ply": message["ply"], "column": column}

    def start_kept(self) -> None:
        """Start the process of all moves, and wait until it has loaded."""
        words = self.fill()
        if self.program is not None and self.program.is_running and words == self.started:
            return
        self.close()
        self.program, self.started = ChildProgram(words, self.folder), words
        self.program.wait_until_idle()
        pass_on(self.program.unread_lines())

    def ask_kept(self, line: str) -> str:
        """Return the line with which the process of all moves answers."""
        program = self.program
        if program is None:
            raise Failure("a move was asked for before a game began")
        pass_on_unread(program)
        program.send(f"{line}\n".encode())
        while True:
            answer = program.read_line()
            if INTEGER.search(answer):
                return answer
            pass_on([answer])

    def ask_new(self, line: str) -> str:
        """Return the last line with an integer of a new process."""
        program = ChildProgram(self.fill(line), self.folder)
        answer = ""
        try:
            if not any(MOVES in word for word in self.command):
                program.send(f"{line}\n".encode())
            program.end_input()
            while True:
                written = program.read_line()
                if INTEGER.search(written):
                    answer, written = written, answer
                pass_on([written] if written else [])
        except Ended:
            if not answer:
                raise
            return answer
        finally:
            program.close()

    def fill(self, line: str = "") -> list[str]:
        """Return the command with values in place of their placeholders."""
        words = self.command
        for name, value in {**self.values, MOVES: line}.items():
            words = [word.replace(name, str(value)) for word in words]
        return words

    def column(self, answer: str) -> int:
        """Return the column of an answer, counted from 0."""
        number = int(INTEGER.findall(answer)[-1])
        columns = self.game["columns"]
        column = number - self.first
        if 0 <= column < columns:
            return column
        if self.program is not None:  # perhaps its last answer had a second line, which came late
            self.program.wait_until_idle()
            pass_on_unread(self.program)
        last = columns - 1 + self.first
        text = f"the engine answered {answer!r}, but columns count from {self.first} to {last}"
        if len(NUMBER.findall(answer)) >= columns:
            text += ": write moves:answer=scores:COMMAND if it writes a score for each column"
        elif number == (columns if self.first == 0 else 0):
            text += f": write moves:first={1 - self.first}:COMMAND if it counts otherwise"
        raise Illegal(text)

    def best(self, answer: str, moves: list[int]) -> int:
        """Return the legal column with the best score, the one nearest to the middle in a tie."""
        rows, columns = self.game["rows"], self.game["columns"]
        scores = [float(number) for number in NUMBER.findall(answer)][-columns:]
        if len(scores) < columns:
            raise Failure(
                f"the engine answered {answer!r}, which is not a score for each of {columns} "
                "columns: leave answer=scores out if it writes a column"
            )
        legal = [column for column in range(columns) if moves.count(column) < rows]
        return max(legal, key=lambda column: (scores[column], -abs(2 * column + 1 - columns)))

    def close(self) -> None:
        """Kill the process of all moves."""
        program, self.program = self.program, None
        if program is not None:
            program.close()


def pass_on(lines: Iterable[str]) -> None:
    """Write lines that are no answers to standard error."""
    for line in lines:
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - a log


def pass_on_unread(program: ChildProgram) -> None:
    """Write what followed an answer to standard error."""
    for line in program.unread_lines():
        if INTEGER.search(line):
            raise Failure(
                f"the engine wrote a second line with a number, {line!r}, after its answer: "
                "only the answer may have one, so write such lines to standard error"
            )
        pass_on([line])


def make_host(folder: str, first: str, answer: str, run: str, boards: str, *command: str) -> Host:
    """Return the host of the engine that the command starts in the folder."""
    return MovesHost(folder, int(first), answer, run, boards, list(command))
