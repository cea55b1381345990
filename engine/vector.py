"""Sets of cells in one vector register: `engine.lanes` for all columns at once.

The three words of a set become one LLVM value of type ``<16 x i16>``, one lane per column; the four
lanes beyond column 11 stay empty. A step sideways is a shuffle with zeros, a step up or down a
shift within every lane, so no stone leaks into another column. LLVM compiles this to AVX-512, AVX2,
SSE or plain instructions.

A `Register` value exists only inside kernels: `pack` makes one, `unpack` returns its words, and the
operators ``& | ^`` combine two. The functions have the names and contracts of `engine.lanes`, so a
kernel can be written once and built on either module. Functions that take or return a `Register`
must be `@inlined`; a `@kernel` takes arrays.
"""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numba.core.cgutils
import numpy as np
from llvmlite import ir
from numba import types

from engine.bits import ONE, kth_bit, popcount64
from engine.compiled import inlined, instruction, register_value
from engine.lanes import WordArray, Words
from engine.lanes import number_in as number_in_words

UniTuple: Any = types.UniTuple
declare: Any = numba.core.cgutils.get_or_insert_function
"""numba has only partial type information."""

COLUMNS = 16
"""Columns of a register; a board uses at most the first 12."""

_I16 = ir.IntType(16)
_I32 = ir.IntType(32)
_I64 = ir.IntType(64)
_REGISTER = ir.VectorType(_I16, COLUMNS)
_QUARTERS = ir.VectorType(_I64, 4)
_FLAGS = ir.VectorType(ir.IntType(1), COLUMNS)
_SHUFFLE = ir.VectorType(_I32, COLUMNS)
NOTHING = ir.Constant(_REGISTER, [0] * COLUMNS)


class Register:
    """A set of cells in a vector register, for type checkers."""

    def __and__(self, other: "Register") -> "Register":
        raise NotImplementedError

    def __or__(self, other: "Register") -> "Register":
        raise NotImplementedError

    def __xor__(self, other: "Register") -> "Register":
        raise NotImplementedError


register = register_value(
    "Register",
    _REGISTER,
    {
        operator.and_: "and_",
        operator.iand: "and_",
        operator.or_: "or_",
        operator.ior: "or_",
        operator.xor: "xor",
        operator.ixor: "xor",
    },
)
"""The numba type of `Register`."""


def each(value: int) -> Any:
    """Return a register with a number in all lanes."""
    return ir.Constant(_REGISTER, [value] * COLUMNS)


def popcounts(builder: Any, value: Any) -> Any:
    """Emit the number of cells of a set in each column."""
    form = ir.FunctionType(_REGISTER, [_REGISTER])
    function = declare(builder.module, form, f"llvm.ctpop.v{COLUMNS}i16")
    return builder.call(function, [value])


def sum_of(builder: Any, value: Any) -> Any:
    """Emit the sum of all columns' numbers as a signed 64-bit integer."""
    form = ir.FunctionType(_I16, [_REGISTER])
    add = declare(builder.module, form, f"llvm.vector.reduce.add.v{COLUMNS}i16")
    return builder.sext(builder.call(add, [value]), _I64)


def broadcast(builder: Any, number: Any) -> Any:
    """Emit a register with an integer in all lanes."""
    one = builder.insert_element(NOTHING, builder.trunc(number, _I16), ir.Constant(_I32, 0))
    return builder.shuffle_vector(one, one, ir.Constant(_SHUFFLE, [0] * COLUMNS))


def _sideways(builder: Any, value: Any, steps: int) -> Any:
    """Shift sideways: lane c of the result is lane c + steps of the value, 0 beyond the edge."""
    picks = [c + steps if 0 <= c + steps < COLUMNS else COLUMNS for c in range(COLUMNS)]
    return builder.shuffle_vector(value, NOTHING, ir.Constant(_SHUFFLE, picks))


def _up(builder: Any, value: Any, rows: int) -> Any:
    if rows < 0:
        return builder.lshr(value, each(-rows))
    return builder.shl(value, each(rows)) if rows else value


def shifted(builder: Any, value: Any, columns: int, rows: int) -> Any:
    """Emit a shift: every cell gets the content of the one `columns` right and `rows` up.

    Rows above the board are meaningless.
    """
    return _sideways(builder, _up(builder, value, -rows), columns)


STEPS = (-3, -2, -1, 1, 2, 3)
SLOPES = (0, 1, -1)
WINDOWS = ((-3, -2, -1), (-2, -1, 1), (-1, 1, 2), (1, 2, 3))
"""Distances of the other three cells in the four lines through a cell in one direction."""


def any_of(builder: Any, values: Sequence[Any]) -> Any:
    """Emit the cells that are in any of the sets."""
    return functools.reduce(builder.or_, values)


def along(builder: Any, cells: Any, slope: int) -> dict[int, Any]:
    """Emit the shifts of a set along a slope, by distance."""
    return {step: shifted(builder, cells, step, slope * step) for step in STEPS}


def pairs_along(builder: Any, stones: Any, slope: int) -> dict[int, Any]:
    """Emit, by distance, the cells that a stone there and two of these would make a threat."""
    near = along(builder, stones, slope)
    return {
        gap: any_of(
            builder,
            [
                builder.and_(*(near[step] for step in window if step != gap))
                for window in WINDOWS
                if gap in window
            ],
        )
        for gap in STEPS
    }


def _line_threats(builder: Any, stones: Any, slope: int) -> Any:
    """Emit the unmasked cells that complete a four on lines rising `slope` rows per column."""

    def shift(step: int) -> Any:
        return _sideways(builder, _up(builder, stones, -slope * step), step)

    l1, l2, l3 = shift(1), shift(2), shift(3)
    r1, r2, r3 = shift(-1), shift(-2), shift(-3)
    left = builder.and_(builder.and_(l1, l2), builder.or_(l3, r1))
    right = builder.and_(builder.and_(r1, r2), builder.or_(l1, r3))
    return builder.or_(left, right)


@instruction(register, types.uint64, types.uint64, types.uint64)
def _pack(builder: Any, word0: Any, word1: Any, word2: Any) -> Any:
    quarters = ir.Constant(_QUARTERS, [0] * 4)
    for place, word in enumerate((word0, word1, word2)):
        quarters = builder.insert_element(quarters, word, ir.Constant(_I32, place))
    return builder.bitcast(quarters, _REGISTER)


@instruction(UniTuple(types.uint64, 3), register)
def _unpack(builder: Any, value: Any) -> Any:
    quarters = builder.bitcast(value, _QUARTERS)
    words = ir.Constant(ir.ArrayType(_I64, 3), ir.Undefined)
    for place in range(3):
        word = builder.extract_element(quarters, ir.Constant(_I32, place))
        words = builder.insert_value(words, word, place)
    return words


@instruction(register, register, register, register)
def _playable(builder: Any, occupied: Any, bottoms: Any, cells: Any) -> Any:
    landing = builder.and_(builder.add(occupied, bottoms), builder.not_(occupied))
    return builder.and_(landing, cells)


@instruction(register, register)
def _threats(builder: Any, stones: Any) -> Any:
    result = builder.and_(
        builder.and_(_up(builder, stones, 1), _up(builder, stones, 2)), _up(builder, stones, 3)
    )
    for slope in (0, 1, -1):
        result = builder.or_(result, _line_threats(builder, stones, slope))
    return result


@instruction(register, register)
def _fours(builder: Any, stones: Any) -> Any:
    result = NOTHING
    for step, slope in ((1, 0), (1, 1), (1, -1), (0, 1)):
        pairs = builder.and_(stones, _sideways(builder, _up(builder, stones, -slope), step))
        far = _sideways(builder, _up(builder, pairs, -2 * slope), 2 * step)
        result = builder.or_(result, builder.and_(pairs, far))
    return result


@instruction(types.uint64, register)
def _columns_of(builder: Any, value: Any) -> Any:
    used = builder.icmp_unsigned("!=", value, NOTHING)
    return builder.zext(builder.bitcast(used, _I16), _I64)


@instruction(register, register, types.uint64)
def _in_columns(builder: Any, value: Any, columns: Any) -> Any:
    wanted = builder.bitcast(builder.trunc(columns, _I16), _FLAGS)
    return builder.select(wanted, value, NOTHING)


pack: Callable[[np.uint64, np.uint64, np.uint64], Register] = _pack
"""Convert three words, lowest columns first, to a register."""
unpack: Callable[[Register], Words] = _unpack
"""Convert a register to three words."""
playable: Callable[[Register, Register, Register], Register] = _playable
"""Return the landing cell of every column that is not full.

Arguments: occupied (both sides' stones and the forbidden cell), bottoms, cells.
"""
threats: Callable[[Register], Register] = _threats
"""Return the cells that complete a four of these stones.

The result has bits on occupied cells and above the board, too: mask it.
"""
columns_of: Callable[[Register], np.uint64] = _columns_of
"""Return the columns that have a cell in the set, bit c for column c."""
in_columns: Callable[[Register, np.uint64], Register] = _in_columns
"""Return the part of a set in the columns of a mask, bit c for column c."""


@inlined
def load(array: WordArray, row: int) -> Register:
    """Load row `row` of an array of shape (n, 3)."""
    return pack(array[row, 0], array[row, 1], array[row, 2])


@inlined
def store(array: WordArray, row: int, value: Register) -> None:
    """Store a set in row `row` of an array of shape (n, 3)."""
    array[row, 0], array[row, 1], array[row, 2] = unpack(value)


@inlined
def number_in(numbers: Register, column: int) -> np.int64:
    """Return the number in a column's lane."""
    return number_in_words(unpack(numbers), column)


@inlined
def either(left: Register, right: Register) -> Register:
    """Return the cells in one set or the other: ``left | right``."""
    return left | right


@inlined
def both(left: Register, right: Register) -> Register:
    """Return the cells in both sets: ``left & right``."""
    return left & right


@inlined
def without(left: Register, right: Register) -> Register:
    """Return the cells in the first set that are not in the second."""
    return left ^ (left & right)


@inlined
def any_cell(cells: Register) -> bool:
    """Return whether the set is not empty."""
    return bool(columns_of(cells))


@inlined
def several(landing: Register) -> bool:
    """Return whether more than one column has a cell in the set."""
    columns = columns_of(landing)
    return bool(columns & (columns - ONE))


@inlined
def count_columns(landing: Register) -> np.uint64:
    """Return the number of columns with a cell in the set."""
    return popcount64(columns_of(landing))


@inlined
def kth_cell(landing: Register, k: np.uint64) -> Register:
    """Return the k-th cell of the set, counted from 0 by ascending columns.

    Contract: at most one cell per column, k < count_columns(landing).
    """
    return in_columns(landing, kth_bit(columns_of(landing), k))


@inlined
def connects(stones: Register) -> bool:
    """Return whether the stones hold four or more in a row, column or diagonal."""
    return bool(columns_of(_fours(stones)))
