"""The commands that a person types at the board: a column, or a word."""

from enum import StrEnum
from typing import NamedTuple

from engine.board import Board
from engine.position import DIGITS
from ladder.errors import UsageError


class CommandKind(StrEnum):
    """A kind of command."""

    DROP = "drop"
    UNDO = "undo"
    HINT = "hint"
    VALUES = "values"
    INFO = "info"
    HELP = "help"
    QUIT = "quit"


SHORT = {
    "u": CommandKind.UNDO,
    "h": CommandKind.HINT,
    "v": CommandKind.VALUES,
    "i": CommandKind.INFO,
    "?": CommandKind.HELP,
    "q": CommandKind.QUIT,
}


class PlayCommand(NamedTuple):
    """A command of a person at the board."""

    kind: CommandKind
    column: int = 0
    """The column of a drop."""
    name: str = ""
    """The bot that is asked for a hint."""


def parse_command(text: str, board: Board) -> PlayCommand:
    """Parse a typed line.

    Columns are numbers, or one character as in move strings (a and b are 10 and 11).

    Raises:
        UsageError: the text is neither a column of the board nor a command.

    """
    parts = text.strip().lower().split(maxsplit=1)
    if not parts:
        raise UsageError(
            f"the line is empty: type a column, 0 to {board.columns - 1}, or ? for help"
        )
    head, name = parts[0], text.split(maxsplit=1)[1].strip() if len(parts) > 1 else ""
    column = parse_column(head)
    if column is not None and not name:
        if column >= board.columns:
            raise UsageError(f"there is no column {head}: choose one from 0 to {board.columns - 1}")
        return PlayCommand(CommandKind.DROP, column=column)
    kind = SHORT.get(head)
    if kind is None and head in set(CommandKind) - {CommandKind.DROP}:
        kind = CommandKind(head)
    if kind is None or (name and kind is not CommandKind.HINT):
        raise UsageError(f"{text.strip()!r} is neither a column nor a command: type ? for help")
    return PlayCommand(kind, name=name)


def parse_column(text: str) -> int | None:
    """Return the column that a text names on a board of any size, or None if it names no column."""
    if text.isascii() and text.isdecimal():
        return int(text[:9])
    return DIGITS.index(text) if len(text) == 1 and text in DIGITS else None
