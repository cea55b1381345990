"""Board classes: what a run is played on, which is one board or a set that each pair draws from.

`SETS` is the table of sets. What a set is follows from its row: the word of ``--boards``, help,
messages, random openings, which stored boards belong to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.board import FORMS, Board, read_board
from engine.errors import BoardError
from engine.seeds import SplitMix


@dataclass(frozen=True, slots=True)
class BoardSet:
    """A named set of boards."""

    name: str
    """The word of ``--boards``, in lower case; stored with games, so that it never changes."""
    help: str
    """Its boards in words, to follow the name."""
    sizes: tuple[tuple[int, int], ...]
    """Rows and columns of its boards."""
    has_forbidden_cell: bool
    """Whether each board has a forbidden cell, which is drawn from all of its cells."""
    is_large: bool
    """Whether its boards are so many that games do not repeat; else games begin with random plies
    unless the user says otherwise."""

    def draw(self, random: SplitMix) -> Board:
        """Draw the rows, the columns among the sizes with these rows, then the forbidden cell.

        Each is uniform; all sizes are equally likely if each number of rows has equally many.
        """
        rows = random.choice(tuple(dict.fromkeys(rows for rows, _ in self.sizes)))
        columns = random.choice(tuple(columns for each, columns in self.sizes if each == rows))
        if not self.has_forbidden_cell:
            return Board(rows, columns)
        cell = random.below(rows * columns)
        return Board(rows, columns, (cell // columns, cell % columns))

    def includes(self, board: Board) -> bool:
        """Return whether the set has a board."""
        has_cell = board.forbidden is not None
        return has_cell == self.has_forbidden_cell and (board.rows, board.columns) in self.sizes

    @property
    def samples(self) -> tuple[Board, ...]:
        """A board of each size."""
        cell = (0, 0) if self.has_forbidden_cell else None
        return tuple(Board(rows, columns, cell) for rows, columns in self.sizes)


THU = BoardSet(
    name="thu",
    help="9 to 12 rows and columns and one forbidden cell, drawn for each pair",
    sizes=tuple((rows, columns) for rows in range(9, 13) for columns in range(9, 13)),
    has_forbidden_cell=True,
    is_large=True,
)
SETS = {each.name: each for each in (THU,)}
"""The sets by their names."""
WORDS = f"{', '.join(SETS)}, {FORMS}"
"""What a user can write for boards, in a list."""


@dataclass(frozen=True, slots=True)
class BoardClass:
    """The boards of a run: one specific board, or a set that each pair draws from."""

    of: Board | BoardSet

    def __str__(self) -> str:
        return self.of.name if isinstance(self.of, BoardSet) else str(self.of)

    @property
    def single(self) -> Board | None:
        """The only board of the class, or None if it has several."""
        return self.of if isinstance(self.of, Board) else None

    @property
    def is_large(self) -> bool:
        """Whether its boards are so many that games do not repeat."""
        return isinstance(self.of, BoardSet) and self.of.is_large

    @property
    def samples(self) -> tuple[Board, ...]:
        """A board of each size."""
        return (self.of,) if isinstance(self.of, Board) else self.of.samples

    @property
    def smallest(self) -> Board:
        """A board of the class with the fewest cells."""
        return min(self.samples, key=lambda board: board.cells)

    @property
    def largest(self) -> Board:
        """A board of the class with the most cells."""
        return max(self.samples, key=lambda board: board.cells)

    def draw(self, random: SplitMix) -> Board:
        """Return the specific board, or draw one of the set."""
        return self.of if isinstance(self.of, Board) else self.of.draw(random)

    def includes(self, board: Board) -> bool:
        """Return whether a board belongs to the class."""
        return self.of == board if isinstance(self.of, Board) else self.of.includes(board)


def narrowest_class(board: Board, classes: Sequence[BoardClass]) -> BoardClass:
    """Return the class that has a board and few others: the board itself, else its first set."""
    including = [each for each in classes if each.includes(board)]
    return min(including, key=lambda each: each.single is None)


def known_class(board: Board) -> BoardClass:
    """Return the class of a board that was not drawn for a run: a set that has it, or itself."""
    found = (each for each in SETS.values() if each.includes(board))
    return BoardClass(next(found, board))


def parse_board_class(text: str) -> BoardClass:
    """Parse a board class: the name of a set, ``standard``, ``RxC`` or ``RxC@r,c``.

    Raises:
        BoardError: the text has another form, or the board breaks a rule of `Board`.

    """
    word = text.strip().lower()
    if word in SETS:
        return BoardClass(SETS[word])
    board = read_board(word)
    if board is None:
        raise BoardError(f"unknown board {text!r}: use {WORDS}")
    return BoardClass(board)


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
