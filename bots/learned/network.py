"""The learned evaluation: a clipped sum of table rows, then a weighted sum.

::

    hidden = cut(phase row + sum over columns and kinds of patterns (row), 0 .. ONE)    32 numbers
    logit  = bias + sum over hidden (hidden * weight)

All numbers are 16-bit integers and sums of products 32-bit integers, so every machine computes the
same value. Summing one table row per feature into a small hidden layer is the idea of efficiently
updatable networks (Nasu, 2018); there is no incremental update, since a position has only two dozen
features.
"""

import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from bots.learned.patterns import FIRST_PHASE, KINDS, PHASES, rows_of
from bots.uct.leaf import Outlook
from engine.bits import popcount64
from engine.compiled import inlined, instruction, lean
from engine.layout import MAX_SIDE
from engine.vector import Register, UniTuple, declare, register, unpack, without

HIDDEN: Final = 32
ONE: Final = 255
"""A hidden number of 1.0, the upper limit."""
LOGIT_ONE: Final = ONE * 64
"""A logit of 1.0 on the scale of the sum of products."""
WHOLE: Final = 256
"""Value of a certain win; a draw is half of it."""
_STEPS: Final = 4096
_SPAN: Final = 16
"""The table of values covers logits from -8 to 8."""
_STEP: Final = _SPAN * LOGIT_ONE // _STEPS


class Evaluation(NamedTuple):
    """The weights as arrays for kernels."""

    table: NDArray[np.int16]
    """Shape (ROWS * HIDDEN,)."""
    out: NDArray[np.int16]
    """Weight of each hidden number, shape (HIDDEN,)."""
    bias: int
    """Bias of the logit."""
    values: NDArray[np.int32]
    """Values 1 .. WHOLE - 1 of logits from -8 to 8, shape (_STEPS,)."""


def values_of_logits() -> NDArray[np.int32]:
    """Return the table of WHOLE / (1 + exp(-logit)), rounded, without 0 and WHOLE."""
    logits = [(step + 0.5) * _SPAN / _STEPS - _SPAN / 2 for step in range(_STEPS)]
    return np.array(
        [min(max(round(WHOLE / (1 + math.exp(-logit))), 1), WHOLE - 1) for logit in logits],
        np.int32,
    )


_I16, _I32, _I64 = (ir.IntType(bits) for bits in (16, 32, 64))
_HIDDEN = ir.VectorType(_I16, HIDDEN)
_WIDE = ir.VectorType(_I32, HIDDEN)


def _row(builder: Any, data: Any, number: Any) -> Any:
    place = builder.mul(number, ir.Constant(_I64, HIDDEN))
    item = builder.bitcast(builder.gep(data, [place]), _HIDDEN.as_pointer())
    return builder.load(item, align=2)


@instruction(types.int64, None, None, UniTuple(register, KINDS), types.int64)
def _logit(builder: Any, rows: Any, out: Any, columns: Any, phase: Any) -> Any:
    total = _row(builder, rows, phase)
    for kind in range(KINDS):
        numbers = builder.extract_value(columns, kind)
        for column in range(MAX_SIDE):
            number = builder.extract_element(numbers, ir.Constant(_I32, column))
            total = builder.add(total, _row(builder, rows, builder.zext(number, _I64)))
    zero, most = (ir.Constant(_HIDDEN, [value] * HIDDEN) for value in (0, ONE))
    total = builder.select(builder.icmp_signed(">", total, zero), total, zero)
    total = builder.select(builder.icmp_signed("<", total, most), total, most)
    weights = builder.load(builder.bitcast(out, _HIDDEN.as_pointer()), align=2)
    product = builder.mul(builder.sext(total, _WIDE), builder.sext(weights, _WIDE))
    form = ir.FunctionType(_I32, [_WIDE])
    add = declare(builder.module, form, f"llvm.vector.reduce.add.v{HIDDEN}i32")
    return builder.sext(builder.call(add, [product]), _I64)


_logit_of_rows: Callable[..., Any] = _logit


@inlined
def count_cells(cells: Register) -> np.int64:
    """Return the number of cells in a set."""
    word0, word1, word2 = unpack(cells)
    return np.int64(popcount64(word0) + popcount64(word1) + popcount64(word2))


@inlined
def phase_row(empty: int | np.int64) -> np.int64:
    """Return the table's row for the number of empty cells."""
    return np.int64(FIRST_PHASE + 2 * min(empty >> 2, PHASES // 2 - 1) + (empty & 1))


@inlined
def read_rows(
    outlook: Outlook, forbidden: Register, odd_cells: Register, empty: int | np.int64
) -> tuple[Register, Register, Register, Register]:
    """Return the rows of every column; see `evaluate` for the arguments."""
    own, other, occupied, landing, own_threats, other_threats, _, cells = outlook
    free = without(cells, occupied)
    return rows_of(
        own, other, own_threats, other_threats, free, landing, forbidden, odd_cells, empty & 1
    )


@lean
def evaluate(
    outlook: Outlook,
    forbidden: Register,
    odd_cells: Register,
    empty: int | np.int64,
    evaluation: Evaluation,
) -> np.int64:
    """Return the value of a position for the side to move, 1 .. WHOLE - 1.

    Args:
        outlook: the position, in which the side to move has no immediate win.
        forbidden: the forbidden cell.
        odd_cells: `odd_from_top` of the board's cells.
        empty: number of empty cells.
        evaluation: the weights.

    """
    columns = read_rows(outlook, forbidden, odd_cells, empty)
    phase = phase_row(empty)
    logit = evaluation.bias + _logit_of_rows(evaluation.table, evaluation.out, columns, phase)
    step = min(max(logit // _STEP + _STEPS // 2, 0), _STEPS - 1)
    return np.int64(evaluation.values[step])
