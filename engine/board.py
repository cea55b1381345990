"""Boards: their rules and notation.

A size is always *rows x columns*: ``6x7`` is the standard board, seven columns wide. Rows count
from 0 at the bottom, columns from 0 at the left.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from engine.errors import BoardError
from engine.layout import MAX_SIDE

MIN_SIDE = 4
STANDARD = "standard"
FORMS = "standard, RxC such as 6x7 (rows x columns), or RxC@r,c with a forbidden cell"

_NUMBER = "([0-9]{1,9})"
_SIZE = re.compile(f"{_NUMBER}x{_NUMBER}(?:@{_NUMBER},{_NUMBER})?")


@dataclass(frozen=True, slots=True)
class Board:
    """One specific board.

    Raises:
        BoardError: a side is outside 4..12, or the forbidden cell is off the board.

    """

    rows: int
    """4..12"""
    columns: int
    """4..12"""
    forbidden: tuple[int, int] | None = None
    """(row, column) of the cell that no stone can occupy, rows counted from the bottom."""

    def __post_init__(self) -> None:
        for name, value in (("rows", self.rows), ("columns", self.columns)):
            if not MIN_SIDE <= value <= MAX_SIDE:
                raise BoardError(f"{name} must be {MIN_SIDE}..{MAX_SIDE}, got {value}")
        if self.forbidden is not None:
            row, column = self.forbidden
            if not 0 <= row < self.rows:
                raise BoardError(
                    f"the forbidden cell's row must be 0..{self.rows - 1} "
                    f"on {self.size} (rows x columns), got {row}"
                )
            if not 0 <= column < self.columns:
                raise BoardError(
                    f"the forbidden cell's column must be 0..{self.columns - 1} "
                    f"on {self.size} (rows x columns), got {column}"
                )

    @property
    def size(self) -> str:
        """Rows and columns, such as ``10x11``."""
        return f"{self.rows}x{self.columns}"

    @property
    def cells(self) -> int:
        """Number of cells that stones can occupy: all but the forbidden one."""
        return self.rows * self.columns - (self.forbidden is not None)

    def __str__(self) -> str:
        if self.forbidden is None:
            return self.size
        return f"{self.size}@{self.forbidden[0]},{self.forbidden[1]}"


@lru_cache(maxsize=1024)
def parse_board(text: str) -> Board:
    """Parse a specific board: ``standard``, ``RxC`` or ``RxC@r,c``.

    Raises:
        BoardError: the text has another form, or the board breaks a rule of `Board`.

    """
    board = read_board(text)
    if board is None:
        raise BoardError(f"{text!r} is not one board: use {FORMS}")
    return board


def read_board(text: str) -> Board | None:
    """Return a specific board, or None if the text has another form.

    Raises:
        BoardError: the board breaks a rule of `Board`.

    """
    word = text.strip().lower()
    if word == STANDARD:
        return Board(6, 7)
    match = _SIZE.fullmatch(word)
    if match is None:
        return None
    rows, columns, row, column = match.groups()
    forbidden = None if row is None else (int(row), int(column))
    return Board(int(rows), int(columns), forbidden)
