"""An immutable position: legal moves, play, winner, drawing and notation.

Each side's stones are one Python integer in the lane layout of the compiled kernels: every column
has 16 bits, the lowest is row 0. With at most twelve rows, at least four spare bits keep a shift by
15, 16 or 17 from carrying a stone from the top of a column into the bottom of the next::

    bit = 16 * column + row          column 0        column 1
                                   15......0       31......16
"""

from collections.abc import Iterable
from functools import lru_cache

from engine.board import Board, parse_board
from engine.errors import BoardError, IllegalMove, NotationError
from engine.layout import LANE
from engine.result import Ending, Result, Termination

DIGITS = "0123456789ab"
"""One character for each column, 0..11."""

_RISING, _FALLING = LANE + 1, LANE - 1
_DIRECTIONS = (1, LANE, _RISING, _FALLING)
"""Shifts along a column, a row and both diagonals."""
_TWO_LANES, _TWO_RISING, _TWO_FALLING = 2 * LANE, 2 * _RISING, 2 * _FALLING


class Geometry:
    """The masks of one board."""

    __slots__ = ("board", "bottoms", "cells", "columns", "forbidden", "lanes")

    def __init__(self, board: Board) -> None:
        self.board = board
        self.columns = range(board.columns)
        self.bottoms = sum(1 << (LANE * column) for column in self.columns)
        full = (1 << board.rows) - 1
        self.lanes = tuple(full << (LANE * column) for column in self.columns)
        self.forbidden = 0
        if board.forbidden is not None:
            row, column = board.forbidden
            self.forbidden = 1 << (LANE * column + row)
        self.cells = sum(self.lanes)


@lru_cache(maxsize=4096)
def geometry(board: Board) -> Geometry:
    """Return the masks of a board."""
    return Geometry(board)


def connects_four(stones: int) -> bool:
    """Return whether the stones hold four in a row, column or diagonal."""
    # Unrolled, because every move of every game runs it.
    pairs = stones & (stones >> 1)
    if pairs & (pairs >> 2):
        return True
    pairs = stones & (stones >> LANE)
    if pairs & (pairs >> _TWO_LANES):
        return True
    pairs = stones & (stones >> _RISING)
    if pairs & (pairs >> _TWO_RISING):
        return True
    pairs = stones & (stones >> _FALLING)
    return bool(pairs & (pairs >> _TWO_FALLING))


def ending_of(winner: int | None) -> Ending:
    """Return result and termination of a finished game; a winner of None means a full board."""
    if winner is None:
        return Ending(Result.DRAW, Termination.BOARD_FULL)
    return Ending(Result.LOSS if winner else Result.WIN, Termination.FOUR_IN_A_ROW)


class Position:
    """An immutable position and the moves that led to it; `play` returns a new one.

    Attributes:
        board: the board.
        moves: the columns played so far, including the opening.
        stones: the first player's stones and the second player's, one integer each.
        winner: 0 or 1 if the last move connected four, else None.

    """

    __slots__ = ("_masks", "_playable", "board", "moves", "stones", "winner")

    board: Board
    moves: tuple[int, ...]
    stones: tuple[int, int]
    winner: int | None
    _playable: int
    _masks: Geometry

    def __init__(self, board: Board) -> None:
        self._masks = masks = geometry(board)
        self.board = board
        self.moves = ()
        self.stones = (0, 0)
        self.winner = None
        self._playable = (masks.forbidden + masks.bottoms) & ~masks.forbidden & masks.cells

    @classmethod
    def from_moves(cls, board: Board, moves: Iterable[int]) -> "Position":
        """Return the position after the moves.

        Raises:
            IllegalMove: a column is full or off the board, or comes after the end of the game.

        """
        position = cls(board)
        for column in moves:
            position = position.play(column)
        return position

    @property
    def ply(self) -> int:
        """Number of stones on the board."""
        return len(self.moves)

    @property
    def to_move(self) -> int:
        """0 if the first player is to move, else 1."""
        return len(self.moves) & 1

    @property
    def is_over(self) -> bool:
        """Whether the game has ended on the board."""
        return self.winner is not None or not self._playable

    @property
    def ending(self) -> Ending | None:
        """Result and termination, None if the game is not over."""
        return ending_of(self.winner) if self.is_over else None

    def can_play(self, column: int) -> bool:
        """Return whether the column can be played now."""
        return (
            self.winner is None
            and 0 <= column < self.board.columns
            and bool(self._playable & self._masks.lanes[column])
        )

    def legal_moves(self) -> tuple[int, ...]:
        """Return the playable columns in ascending order, none if the game is over."""
        if self.winner is not None:
            return ()
        masks = self._masks
        return tuple(c for c in masks.columns if self._playable & masks.lanes[c])

    def landing_row(self, column: int) -> int | None:
        """Return the row on which a stone in this column would land, None if the column is full.

        Raises:
            IllegalMove: the column is off the board.

        """
        if not 0 <= column < self.board.columns:
            raise IllegalMove(self._refusal(column))
        cell = self._playable & self._masks.lanes[column]
        return cell.bit_length() - 1 - LANE * column if cell else None

    def play(self, column: int) -> "Position":
        """Return the position after the side to move plays the column.

        Raises:
            IllegalMove: the column is full or off the board, or the game is over.

        """
        masks = self._masks
        lanes = masks.lanes
        if self.winner is not None or not 0 <= column < len(lanes):
            raise IllegalMove(self._refusal(column))
        cell = self._playable & lanes[column]
        if not cell:
            raise IllegalMove(self._refusal(column))
        first, second = self.stones
        moves = self.moves
        after = Position.__new__(Position)
        after._masks = masks
        after.board = self.board
        after.moves = (*moves, column)
        side = len(moves) & 1
        if side:
            own = second | cell
            after.stones = (first, own)
        else:
            own = first | cell
            after.stones = (own, second)
        after.winner = side if connects_four(own) else None
        # The carry of one addition finds every column's landing cell and jumps the forbidden one.
        occupied = first | second | cell | masks.forbidden
        after._playable = (occupied + masks.bottoms) & ~occupied & masks.cells
        return after

    def _refusal(self, column: int) -> str:
        if self.is_over:
            return f"column {column} cannot be played: the game is over"
        legal = ", ".join(str(c) for c in self.legal_moves())
        if not 0 <= column < self.board.columns:
            return f"column {column} is off the board: legal columns were {legal}"
        return f"column {column} is full: legal columns were {legal}"

    def owner(self, row: int, column: int) -> int | None:
        """Return 0 or 1 for the side whose stone is on the cell, None if there is no stone."""
        bit = 1 << (LANE * column + row)
        if self.stones[0] & bit:
            return 0
        return 1 if self.stones[1] & bit else None

    def winning_cells(self) -> frozenset[tuple[int, int]]:
        """Return the (row, column) cells of the winner's lines of four or more."""
        if self.winner is None:
            return frozenset()
        own = self.stones[self.winner]
        cells = 0
        for shift in _DIRECTIONS:
            starts = own & (own >> shift) & (own >> (2 * shift)) & (own >> (3 * shift))
            for step in range(4):
                cells |= starts << (step * shift)
        return frozenset(
            (row, column)
            for row in range(self.board.rows)
            for column in range(self.board.columns)
            if cells >> (LANE * column + row) & 1
        )

    def picture(self, *, stones: str = "XO", empty: str = ".", forbidden: str = "#") -> str:
        """Draw the board as text, with the column digits below it."""
        lines = []
        for row in reversed(range(self.board.rows)):
            signs = []
            for column in range(self.board.columns):
                side = self.owner(row, column)
                if side is not None:
                    signs.append(stones[side])
                else:
                    signs.append(forbidden if (row, column) == self.board.forbidden else empty)
            lines.append(" ".join(signs))
        lines.append(" ".join(DIGITS[: self.board.columns]))
        return "\n".join(lines)

    def notation(self) -> str:
        """Return the board and the columns played, such as ``10x11@3,4 5546a``."""
        return f"{self.board} {format_moves(self.moves)}".rstrip()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.board == other.board and self.moves == other.moves

    def __hash__(self) -> int:
        return hash((self.board, self.moves))

    def __repr__(self) -> str:
        return f"Position({self.notation()!r})"


def format_moves(moves: Iterable[int]) -> str:
    """Format columns as one character each: 0..9, a, b."""
    return "".join(DIGITS[column] for column in moves)


def parse_moves(text: str) -> tuple[int, ...]:
    """Parse columns from their characters: the inverse of `format_moves`.

    Raises:
        NotationError: a character is not one of 0..9, a, b.

    """
    moves = []
    for place, character in enumerate(text.strip(), start=1):
        column = DIGITS.find(character.lower())
        if column < 0:
            raise NotationError(
                f"{character!r} at place {place} of {text.strip()!r} is not a column: "
                "use 0..9, a, b, counted from 0 at the left"
            )
        moves.append(column)
    return tuple(moves)


def parse_position(text: str, *, one_based: bool = False) -> Position:
    """Parse a position ``BOARD MOVES``; the moves are optional.

    With `one_based`, the text is a string of digits 1..7 on the standard board, as in published
    test sets.

    Raises:
        NotationError: the text has another form.
        BoardError: the board is invalid.
        IllegalMove: a move cannot be played.

    """
    words = text.split()
    if one_based:
        digits = words[0] if words else ""
        if len(words) > 1 or not all(character in "1234567" for character in digits):
            raise NotationError(
                f"one-based positions are columns 1..7 on the standard board, got {text!r}"
            )
        return Position.from_moves(Board(6, 7), (int(character) - 1 for character in digits))
    if not 1 <= len(words) <= 2:
        raise NotationError(
            f"a position is a board and its moves, such as '10x11@3,4 5546a', got {text!r}"
        )
    try:
        board = parse_board(words[0])
    except BoardError as error:
        raise BoardError(f"{error} (in {text!r})") from error
    return Position.from_moves(board, parse_moves(words[1]) if len(words) == 2 else ())
