"""The commands of a person at the board: a column, or a word."""

from enum import StrEnum
from typing import NamedTuple

from engine.board import Board
from engine.position import DIGITS
from ladder.errors import UsageError


class Word(StrEnum):
    """The kinds of commands."""

    DROP = "drop"
    UNDO = "undo"
    HINT = "hint"
    INFO = "info"
    HELP = "help"
    QUIT = "quit"


SHORT = {"u": Word.UNDO, "h": Word.HINT, "i": Word.INFO, "?": Word.HELP, "q": Word.QUIT}


class Said(NamedTuple):
    """A word, with the column of a drop or the bot that is asked for a hint."""

    word: Word
    column: int = 0
    name: str = ""


def understand(text: str, board: Board) -> Said:
    """A typed line as a command.

    Columns are numbers, or one character as in written games (a and b are 10 and 11).

    Raises:
        UsageError: it is neither a column of the board nor a word.

    """
    parts = text.strip().lower().split(maxsplit=1)
    if not parts:
        raise UsageError(f"type a column, 0 to {board.columns - 1}, or ? for help")
    head, name = parts[0], text.split(maxsplit=1)[1].strip() if len(parts) > 1 else ""
    column = named_column(head)
    if column is not None and not name:
        if column >= board.columns:
            raise UsageError(f"there is no column {head}: they are 0 to {board.columns - 1}")
        return Said(Word.DROP, column=column)
    word = SHORT.get(head) or next((word for word in Word if word == head != Word.DROP), None)
    if word is None or (name and word is not Word.HINT):
        raise UsageError(f"{text.strip()!r} is neither a column nor a word I know: ? shows them")
    return Said(word, name=name)


def named_column(text: str) -> int | None:
    """The column that a text names, on a board of any size; None when it names none."""
    if text.isascii() and text.isdecimal():
        return int(text[:9])
    return DIGITS.index(text) if len(text) == 1 and text in DIGITS else None
