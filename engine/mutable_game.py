"""A game in play: the rules of `Position`, move by move in place.

For callers that follow one line of play until it ends: a move costs a third of a new `Position`.
`MutableGame.position` provides everything else about the game.
"""

from collections.abc import Iterable

from engine.board import Board
from engine.position import Position, connects_four, ending_of, geometry
from engine.result import Ending

FEWEST = 7
"""Fewest stones with which a side can have connected four."""


class MutableGame:
    """A game that `play` changes in place.

    Attributes:
        board: the board.
        moves: the columns played so far, including the opening; callers must not change it.
        is_over: whether the game has ended on the board.
        winner: 0 or 1 if the last move connected four, else None.

    """

    __slots__ = (
        *("_free", "_masks", "_mover", "_occupied", "_other", "_playable"),
        *("board", "is_over", "moves", "winner"),
    )

    def __init__(self, board: Board, moves: Iterable[int] = ()) -> None:
        """Start from the position after some moves.

        Raises:
            IllegalMove: a column is full or off the board, or comes after the end of the game.

        """
        self._masks = masks = geometry(board)
        self.board = board
        self.moves: list[int] = []
        self.is_over = False
        self.winner: int | None = None
        self._mover = self._other = 0
        """Stones of the side to move, then of the other."""
        self._occupied = masks.forbidden
        self._free = masks.cells & ~masks.forbidden
        self._playable = (masks.forbidden + masks.bottoms) & self._free
        for column in moves:
            self.play(column)

    def play(self, column: int) -> None:
        """Drop a stone of the side to move into the column.

        Raises:
            IllegalMove: the column is full or off the board, or the game is over.

        """
        masks = self._masks
        lanes = masks.lanes
        cell = 0
        if 0 <= column < len(lanes) and not self.is_over:
            cell = self._playable & lanes[column]
        if not cell:
            self.position().play(column)
        own = self._mover | cell
        self._mover = self._other
        self._other = own
        moves = self.moves
        moves.append(column)
        self._free = free = self._free ^ cell
        self._occupied = occupied = self._occupied | cell
        # The carry of one addition finds the landing cell and skips the forbidden one.
        self._playable = playable = (occupied + masks.bottoms) & free
        if len(moves) >= FEWEST and connects_four(own):
            self.is_over = True
            self.winner = ~len(moves) & 1
        elif not playable:
            self.is_over = True

    @property
    def ending(self) -> Ending | None:
        """Result and termination, None if the game is not over."""
        return ending_of(self.winner) if self.is_over else None

    def position(self) -> Position:
        """Return the current position."""
        return Position.from_moves(self.board, self.moves)
