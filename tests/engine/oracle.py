"""A slow and simple implementation of the game: a dictionary of cells."""

from collections.abc import Callable, Iterable

from hypothesis import strategies as st

from engine.board import Board
from engine.lanes import WordArray
from engine.position import Position
from engine.seeds import MASK64, SplitMix

CellXY = tuple[int, int]
"""(row, column)"""
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class SlowGame:
    """A game on a dictionary: cell -> side."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.stones: dict[CellXY, int] = {}
        self.moves: list[int] = []
        self.winner: int | None = None

    @classmethod
    def of(cls, position: Position) -> "SlowGame":
        game = cls(position.board)
        for column in position.moves:
            game.play(column)
        return game

    @property
    def to_move(self) -> int:
        return len(self.moves) % 2

    def copy(self) -> "SlowGame":
        twin = SlowGame(self.board)
        twin.stones = dict(self.stones)
        twin.moves = list(self.moves)
        twin.winner = self.winner
        return twin

    def landing_row(self, column: int) -> int | None:
        """Return the row of the lowest free cell of a column."""
        for row in range(self.board.rows):
            cell = (row, column)
            if cell not in self.stones and cell != self.board.forbidden:
                return row
        return None

    def landing_cells(self) -> list[CellXY]:
        rows = [(self.landing_row(column), column) for column in range(self.board.columns)]
        return [(row, column) for row, column in rows if row is not None]

    def legal(self) -> list[int]:
        if self.winner is not None:
            return []
        return [column for _, column in self.landing_cells()]

    def play(self, column: int) -> None:
        row = self.landing_row(column)
        assert row is not None
        assert self.winner is None
        side = self.to_move
        self.stones[row, column] = side
        self.moves.append(column)
        if self.four_through((row, column), side):
            self.winner = side

    def line_through(self, cell: CellXY, side: int, direction: CellXY) -> set[CellXY]:
        """Return the cells of the side's unbroken line through the cell in one direction."""
        found = {cell}
        for sign in (1, -1):
            row, column = cell
            while True:
                row, column = row + sign * direction[0], column + sign * direction[1]
                if self.stones.get((row, column)) != side:
                    break
                found.add((row, column))
        return found

    def four_through(self, cell: CellXY, side: int) -> bool:
        return any(len(self.line_through(cell, side, way)) >= 4 for way in DIRECTIONS)

    def winning_cells(self) -> set[CellXY]:
        if self.winner is None:
            return set()
        result: set[CellXY] = set()
        for cell, side in self.stones.items():
            if side == self.winner:
                for way in DIRECTIONS:
                    line = self.line_through(cell, side, way)
                    if len(line) >= 4:
                        result |= line
        return result

    def stones_of(self, side: int) -> set[CellXY]:
        return {cell for cell, owner in self.stones.items() if owner == side}

    def free_cells(self) -> list[CellXY]:
        return [
            (row, column)
            for row in range(self.board.rows)
            for column in range(self.board.columns)
            if (row, column) not in self.stones and (row, column) != self.board.forbidden
        ]

    def threats(self, side: int) -> set[CellXY]:
        """Return the free cells that would complete four for the side."""
        return {cell for cell in self.free_cells() if self.four_through(cell, side)}


def random_game(board: Board, seed: int, plies: int) -> SlowGame:
    """Return a game of random legal moves of at most `plies` plies."""
    game = SlowGame(board)
    random = SplitMix(seed)
    while len(game.moves) < plies and game.legal():
        game.play(random.choice(game.legal()))
    return game


def slow_step(state: int) -> int:
    """Step xorshift64* with Python's integers."""
    state ^= state >> 12
    state ^= state << 25 & MASK64
    return state ^ state >> 27


def slow_below(state: int, limit: int) -> int:
    """Return a number below a limit from a state that was just stepped."""
    return (state * 0x2545F4914F6CDD1D & MASK64) * limit >> 64


def from_words(words: WordArray) -> int:
    """Return the inverse of `engine.lanes.to_words`."""
    return sum(int(word) << (64 * number) for number, word in enumerate(words))


def as_bits(cells: Iterable[CellXY]) -> int:
    """Convert cells to the layout of `engine.position`."""
    return sum(1 << (16 * column + row) for row, column in cells)


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Draw a board of any size, with or without a forbidden cell."""
    rows = draw(st.integers(4, 12))
    columns = draw(st.integers(4, 12))
    cells = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1))
    return Board(rows, columns, draw(st.none() | cells))


@st.composite
def games(draw: st.DrawFn) -> SlowGame:
    """Draw a random game of any length on any board, finished or not."""
    board = draw(boards())
    return random_game(board, draw(st.integers(0, 2**32)), draw(st.integers(0, board.cells)))


def minimax(
    position: Position, depth: int, won: int, leaf: Callable[[Position, int], int], ply: int = 0
) -> int:
    """Return the value for the side to move, by full search without cutoffs.

    A win in n plies has the value `won` less n, and a position after the last ply the value
    `leaf(position, plies)`.
    """
    if position.winner is not None:
        return ply - won
    if position.is_over:
        return 0
    if depth == 0:
        return leaf(position, ply)
    return max(
        -minimax(position.play(column), depth - 1, won, leaf, ply + 1)
        for column in position.legal_moves()
    )
