"""Lines of moves as positions, and solved positions as lines, thousands in one call."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.board import MAX_SIDE, Board
from engine.compiled import inlined, kernel
from engine.lanes import WordArray
from engine.position import DIGITS
from engine.solver import geometry, lanes, word
from engine.solver.memory import Integers

Bytes = NDArray[np.uint8]

NOT_A_COLUMN = 255
_DIGITS = np.frombuffer(DIGITS.encode(), np.uint8)
NEWLINE, SPACE, TAB = b"\n \t"
ZERO_DIGIT, POINT = b"0."
MICROSECONDS = 1_000_000
NUMBERS_LENGTH = 48
"""Most characters of a line's numbers, with the point."""


class MoveLines(NamedTuple):
    """Lines of a text that are positions on one board."""

    text: Bytes
    begins: Integers
    """Places of the first moves."""
    plies: Integers
    columns: Bytes
    """The column of each character, from `column_table`."""

    def cut(self, first: int, end: int) -> "MoveLines":
        """Return some of the lines."""
        return self._replace(begins=self.begins[first:end], plies=self.plies[first:end])

    def moves(self, number: int) -> tuple[int, ...]:
        """Return the columns of a line."""
        begin = self.begins[number]
        return tuple(self.columns[self.text[begin : begin + self.plies[number]]].tolist())


class LineForm(NamedTuple):
    """What stands between the parts of a line: board, moves, value and, if wanted, numbers."""

    head: Bytes
    before_moves: Bytes
    """Left out if there are no moves."""
    values: Bytes
    """The words on each distinct value, one after another."""
    ends: Integers
    """Their ends, after a 0."""
    before_seconds: Bytes
    tail: Bytes


def column_table(board: Board, *, one_based: bool) -> Bytes:
    """Return the column of each character, `NOT_A_COLUMN` for others."""
    table = np.full(256, NOT_A_COLUMN, np.uint8)
    for digits in ("1234567",) if one_based else (DIGITS, DIGITS.upper()):
        for column, digit in enumerate(digits[: board.columns]):
            table[ord(digit)] = column
    return table


def read_lines(
    board: Board,
    text: Bytes,
    start: int,
    most: int,
    prefix: bytes = b"",
    *,
    one_based: bool = False,
) -> tuple[WordArray, MoveLines, int]:
    """Read lines of moves up to the first that is not a position which can be solved.

    Args:
        board: the board of all positions.
        text: lines, each with a newline at its end; white space around the moves does not matter.
        start: the place in the text of the first line to read.
        most: the number of lines to read at most.
        prefix: what each line begins with, before the moves.
        one_based: whether columns are counted from 1.

    Returns:
        The stones of each position, shape (n, 2, words): mover, then other side; the lines; and the
        place after the last of them.

    """
    stones = np.zeros((most, 2, geometry.words_of(board)), np.uint64)
    begins, plies = np.zeros(most, np.int64), np.zeros(most, np.int64)
    row, column = board.forbidden or (-1, -1)
    shape = np.array([board.rows, row, column, geometry.stride_of(board), board.cells], np.int64)
    columns = column_table(board, one_based=one_based)
    read = _read_on_word if geometry.fits_one_word(board) else _read_on_lanes
    number, end = read(
        text,
        start,
        np.frombuffer(prefix, np.uint8),
        columns,
        shape,
        geometry.board_constants(board),
        stones,
        begins,
        plies,
    )
    return stones[:number], MoveLines(text, begins[:number], plies[:number], columns), end


def write_lines(
    lines: MoveLines,
    kinds: Integers,
    values: list[str],
    *,
    head: str,
    before_moves: str = "",
    numbers: tuple[Integers, NDArray[np.float64]] | None = None,
    before_seconds: str = "",
    tail: str,
) -> str:
    """Return a line for each position: head, moves, the words on its value, numbers, tail.

    Args:
        lines: the positions.
        kinds: the index of each position's value.
        values: the words on each distinct value.
        head: the beginning of every line.
        before_moves: what stands before the moves, if there are any.
        numbers: nodes and seconds to write after the value; None for neither.
        before_seconds: what stands between these.
        tail: the end of every line.

    """
    ends = np.cumsum([0, *map(len, values)])
    parts = (head, before_moves, "".join(values), before_seconds, tail)
    head_, moves_, values_, seconds_, tail_ = (
        np.frombuffer(part.encode("ascii"), np.uint8) for part in parts
    )
    nodes, micros = np.zeros(0, np.int64), np.zeros(0, np.int64)
    if numbers is not None:
        nodes, micros = numbers[0], np.rint(numbers[1] * MICROSECONDS).astype(np.int64)
    form = LineForm(head_, moves_, values_, ends, seconds_, tail_)
    length = sum(map(len, parts)) - len(values_) + max(map(len, values), default=0)
    out = np.empty(len(kinds) * (length + NUMBERS_LENGTH) + int(lines.plies.sum()), np.uint8)
    return out[: _write(lines, form, kinds, nodes, micros, out)].tobytes().decode("ascii")


def _reader_on(layout: ModuleType) -> Callable[..., Any]:
    """Build the reader for the sets of `engine.solver.word` or `engine.solver.lanes`."""
    load, load_board, connects = layout.load, layout.load_board, layout.connects

    @inlined
    def read(
        text: Bytes,
        start: int,
        prefix: Bytes,
        columns: Bytes,
        shape: Integers,
        constants: WordArray,
        stones: WordArray,
        begins: Integers,
        plies: Integers,
    ) -> tuple[int, int]:
        """Read lines; return their number and the place after them."""
        rows, forbidden_row, forbidden_column, stride, cells = shape
        board = load_board(constants)
        heights = np.zeros(MAX_SIDE, np.int64)
        end = start
        for number in range(len(plies)):
            if end >= len(text):
                return number, end
            at = end
            while text[at] == SPACE or text[at] == TAB:
                at += 1
            for sign in prefix:
                if text[at] != sign:  # a newline at the latest
                    return number, end
                at += 1
            begins[number] = at
            heights[:] = 0
            side = 0
            column = np.int64(columns[text[at]])
            while column != NOT_A_COLUMN:
                row = heights[column]
                if column == forbidden_column and row == forbidden_row:
                    row += 1
                if row >= rows:
                    return number, end
                heights[column] = row + 1
                bit = stride * column + row
                stones[number, side, bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
                side = 1 - side
                at += 1
                column = np.int64(columns[text[at]])
            ply = at - begins[number]
            while text[at] == SPACE or text[at] == TAB:
                at += 1
            # stones stay, so a four that ended the game is still there
            if (
                text[at] != NEWLINE
                or ply == cells
                or connects(load(stones[number], 0), board)
                or connects(load(stones[number], 1), board)
            ):
                return number, end
            plies[number] = ply
            if side:
                for index in range(stones.shape[2]):
                    other = stones[number, 0, index]
                    stones[number, 0, index] = stones[number, 1, index]
                    stones[number, 1, index] = other
            end = at + 1
        return len(plies), end

    return read


_word_reader, _lanes_reader = _reader_on(word), _reader_on(lanes)


@kernel
def _read_on_word(
    text: Bytes,
    start: int,
    prefix: Bytes,
    columns: Bytes,
    shape: Integers,
    constants: WordArray,
    stones: WordArray,
    begins: Integers,
    plies: Integers,
) -> Any:
    return _word_reader(text, start, prefix, columns, shape, constants, stones, begins, plies)


@kernel
def _read_on_lanes(
    text: Bytes,
    start: int,
    prefix: Bytes,
    columns: Bytes,
    shape: Integers,
    constants: WordArray,
    stones: WordArray,
    begins: Integers,
    plies: Integers,
) -> Any:
    return _lanes_reader(text, start, prefix, columns, shape, constants, stones, begins, plies)


@inlined
def _copy(source: Bytes, first: int, end: int, out: Bytes, at: int) -> int:
    """Append some bytes; return the place after them."""
    for place in range(first, end):
        out[at + place - first] = source[place]
    return at + end - first


@inlined
def _put_number(number: int, digits: int, out: Bytes, at: int) -> int:
    """Append a number with at least so many digits; return the place after it."""
    least, rest = 1, number
    while least < digits or rest > 9:
        least += 1
        rest //= 10
    for place in range(at + least - 1, at - 1, -1):
        out[place] = ZERO_DIGIT + number % 10
        number //= 10
    return at + least


@kernel
def _write(
    lines: MoveLines,
    form: LineForm,
    kinds: Integers,
    nodes: Integers,
    micros: Integers,
    out: Bytes,
) -> int:
    """Write lines; return their length."""
    at = 0
    for number in range(len(kinds)):
        at = _copy(form.head, 0, len(form.head), out, at)
        if lines.plies[number] > 0:
            at = _copy(form.before_moves, 0, len(form.before_moves), out, at)
        for place in range(lines.begins[number], lines.begins[number] + lines.plies[number]):
            out[at] = _DIGITS[lines.columns[lines.text[place]]]
            at += 1
        kind = kinds[number]
        at = _copy(form.values, form.ends[kind], form.ends[kind + 1], out, at)
        if len(nodes) > 0:
            at = _put_number(nodes[number], 1, out, at)
            at = _copy(form.before_seconds, 0, len(form.before_seconds), out, at)
            at = _put_number(micros[number] // MICROSECONDS, 1, out, at)
            out[at] = POINT
            at = _put_number(micros[number] % MICROSECONDS, 6, out, at + 1)
        at = _copy(form.tail, 0, len(form.tail), out, at)
    return at
