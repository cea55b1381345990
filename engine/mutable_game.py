"""A game in play: the rules of `Position`, move by move in place.

For whoever follows one line of play and looks at nothing but whether it is over: a move costs a
third of a new `Position`. Everything else about the game is asked of its position.
"""

from collections.abc import Iterable

from engine.board import Board
from engine.position import Position, connects_four, ending_of, geometry
from engine.result import Ending

FEWEST = 7
"""Stones of a game in which somebody has four of them."""


class MutableGame:
    """A game from its first stone on; `play` moves it on.

    Attributes:
        board: the board.
        moves: the columns played so far, openings included; not to be changed by others.
        is_over: whether the game has ended on the board.
        winner: 0 or 1 when the last move connected four, else None.

    """

    __slots__ = (
        *("_free", "_masks", "_mover", "_occupied", "_other", "_playable"),
        *("board", "is_over", "moves", "winner"),
    )

    def __init__(self, board: Board, moves: Iterable[int] = ()) -> None:
        """The game after some moves.

        Raises:
            IllegalMove: a column is full or off the board, or the game was over before it.

        """
        self._masks = masks = geometry(board)
        self.board = board
        self.moves: list[int] = []
        self.is_over = False
        self.winner: int | None = None
        self._mover = self._other = 0
        """Stones of the side to move, and of the other."""
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
        # The carry of one addition finds every column's landing cell and jumps the forbidden one.
        self._playable = playable = (occupied + masks.bottoms) & free
        if len(moves) >= FEWEST and connects_four(own):
            self.is_over = True
            self.winner = ~len(moves) & 1
        elif not playable:
            self.is_over = True

    @property
    def ending(self) -> Ending | None:
        """Result and termination of a game that is over on the board; None while it goes on."""
        return ending_of(self.winner) if self.is_over else None

    def position(self) -> Position:
        """The position that the moves have led to."""
        return Position.from_moves(self.board, self.moves)
