"""Boards: their specification, presets and notation.

A size is always *rows x columns*: ``6x7`` is the standard board, seven columns wide. Rows count
from 0 at the bottom, columns from 0 at the left.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.errors import BoardError
from engine.seeds import SplitMix

MIN_SIDE = 4
MAX_SIDE = 12
THU_SIDES = (9, 10, 11, 12)
"""Range of side lengths from which the `thu` preset draws rows and columns."""
THU = "thu"
STANDARD = "standard"
FORMS = "thu, standard, RxC such as 6x7 (rows x columns), or RxC@r,c with a forbidden cell"

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


@dataclass(frozen=True, slots=True)
class BoardClass:
    """The boards of a run: one specific board, or `thu`, which draws a board for every pair."""

    board: Board | None
    """The specific board, None for `thu`."""

    def __str__(self) -> str:
        return THU if self.board is None else str(self.board)

    def draw(self, random: SplitMix) -> Board:
        """Return the specific board, or draw one for `thu`: rows, columns, then forbidden cell."""
        if self.board is not None:
            return self.board
        rows = random.choice(THU_SIDES)
        columns = random.choice(THU_SIDES)
        cell = random.below(rows * columns)
        return Board(rows, columns, (cell // columns, cell % columns))

    @property
    def smallest(self) -> Board:
        """The smallest board that can be drawn."""
        if self.board is not None:
            return self.board
        return Board(min(THU_SIDES), min(THU_SIDES), (0, 0))

    @property
    def varies(self) -> bool:
        """Whether two draws can give different boards."""
        return self.board is None


@lru_cache(maxsize=1024)
def parse_board(text: str) -> Board:
    """Parse a specific board: ``standard``, ``RxC`` or ``RxC@r,c``.

    Raises:
        BoardError: the text has another form, or the board breaks a rule of `Board`.

    """
    board = parse_board_class(text).board
    if board is None:
        raise BoardError("thu is a family of boards: name one board, such as 10x11@3,4")
    return board


def parse_board_class(text: str) -> BoardClass:
    """Parse a board class: ``thu``, ``standard``, ``RxC`` or ``RxC@r,c``.

    Raises:
        BoardError: the text has another form, or the board breaks a rule of `Board`.

    """
    word = text.strip().lower()
    if word == THU:
        return BoardClass(None)
    if word == STANDARD:
        return BoardClass(Board(6, 7))
    match = _SIZE.fullmatch(word)
    if match is None:
        raise BoardError(f"unknown board {text!r}: use {FORMS}")
    rows, columns, row, column = match.groups()
    forbidden = None if row is None else (int(row), int(column))
    return BoardClass(Board(int(rows), int(columns), forbidden))


def parse_board_classes(text: str) -> tuple[BoardClass, ...]:
    """Parse a comma-separated list of board classes; ``@r,c`` belongs to the size before it.

    For example, ``6x7,10x11@3,4`` are two boards. The order is preserved.

    Raises:
        BoardError: an entry is not a board class or is repeated, or the list is empty.

    """
    words: list[str] = []
    for part in text.split(","):
        if words and "@" in words[-1] and "," not in words[-1] and part.strip().isdecimal():
            words[-1] += "," + part.strip()
        else:
            words.append(part)
    classes = tuple(parse_board_class(word) for word in words)
    if len(set(classes)) != len(classes):
        raise BoardError(f"a board is repeated in {text!r}: name each once")
    return classes


def format_board_classes(classes: Sequence[BoardClass]) -> str:
    """Format a list of board classes canonically: the inverse of `parse_board_classes`."""
    return ",".join(str(entry) for entry in classes)
