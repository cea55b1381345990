"""Values of positions by looking at every continuation: slow, plain, and with a memory."""

from engine.board import Board
from engine.position import Position
from engine.seeds import SplitMix
from engine.solver import Outcome, Value

Stones = tuple[int, int]


class Oracle:
    """The value of every position of one board, each from the values of its moves."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.values: dict[Stones, Value] = {}
        self.positions: dict[Stones, Position] = {}

    def value(self, position: Position) -> Value:
        """The value of a position that is not over, for the side to move."""
        known = self.values.get(position.stones)
        if known is None:
            known = max(self.value_of_move(position, c) for c in position.legal_moves())
            self.values[position.stones] = known
            self.positions[position.stones] = position
        return known

    def value_of_move(self, position: Position, column: int) -> Value:
        """The value of a move for the side that makes it."""
        after = position.play(column)
        if after.winner is not None:
            return Value(Outcome.WIN, 1)
        if after.is_over:
            return Value(Outcome.DRAW)
        value = self.value(after)
        distance = None if value.distance is None else value.distance + 1
        return Value(Outcome(-value.outcome), distance)


def random_position(board: Board, plies: int, random: SplitMix) -> Position:
    """A position after so many random plies, in which the game goes on."""
    while True:
        position = Position(board)
        while position.ply < plies and not position.is_over:
            position = position.play(random.choice(position.legal_moves()))
        if not position.is_over:
            return position


def quiet_position(board: Board, plies: int, random: SplitMix) -> Position:
    """A position after so many random plies none of which won, though some could have."""
    position = Position(board)
    while position.ply < plies:
        after = [position.play(column) for column in position.legal_moves()]
        quiet = [choice for choice in after if not choice.is_over]
        position = random.choice(quiet) if quiet else Position(board)
    return position
