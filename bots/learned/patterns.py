"""The patterns of the learned evaluation: four numbers for every column.

A column is read from its landing cell upwards, without the forbidden cell, because only the order
in which its cells are filled matters for threats. Each number is a row of the evaluation's table::

    threats     own threats in the 5 cells above the landing cell
                the opponent's in the landing cell and the 5 above it
    near        promises in the landing cell and the one above it: own and the opponent's, each
                for good and for bad cells
    far         the same in the two cells above those
    influence   of both sides on the lowest 4 cells

A *promise* is a cell in which a stone would make a threat: two stones and a free cell are in line
with it (in a vertical line, the stones are directly below it). A side has *influence* on a cell in
a non-vertical line of four with a stone of its own and none of the opponent.

A free cell is *good* for the side to move if that side would fill it after all other columns are
full: the number of free cells from it to the top then has the parity of all free cells. This is the
rule of odd and even threats (Allis, 1988) without row numbers, so it covers a forbidden cell and
boards of any size.

Each number has two more bits: the parity of the column's empty cells, and of all empty cells.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from llvmlite import ir
from numba import types

from engine.compiled import instruction
from engine.vector import (
    COLUMNS,
    SLOPES,
    STEPS,
    WINDOWS,
    Register,
    UniTuple,
    along,
    any_of,
    broadcast,
    each,
    pairs_along,
    popcounts,
    register,
    shifted,
)

OWN_CELLS: Final = 5
OTHER_CELLS: Final = 6
PROMISED_CELLS: Final = 2
INFLUENCED_CELLS: Final = 4
_CONTEXT_BITS: Final = 2
_THREAT_BITS: Final = OWN_CELLS + OTHER_CELLS
_PROMISE_BITS: Final = 4 * PROMISED_CELLS
_INFLUENCE_BITS: Final = 2 * INFLUENCED_CELLS
FIRST_NEAR: Final = 1 << (_THREAT_BITS + _CONTEXT_BITS)
FIRST_FAR: Final = FIRST_NEAR + (1 << (_PROMISE_BITS + _CONTEXT_BITS))
FIRST_INFLUENCE: Final = FIRST_FAR + (1 << (_PROMISE_BITS + _CONTEXT_BITS))
NOTHING: Final = FIRST_INFLUENCE + (1 << (_INFLUENCE_BITS + _CONTEXT_BITS))
"""Row of a column that is full or absent."""
FIRST_PHASE: Final = NOTHING + 1
PHASES: Final = 40
"""Rows for the number of empty cells in steps of four, and its parity: 20 times 2."""
ROWS: Final = FIRST_PHASE + PHASES
KINDS: Final = 4
"""Number of kinds of patterns, each with a row per column."""

_I16 = ir.IntType(16)
_REGISTER = ir.VectorType(_I16, COLUMNS)


def _without_gap(builder: Any, cells: Any, forbidden: Any) -> Any:
    """Close the gap of the forbidden cell: shift the cells above it down by one."""
    low = builder.sub(forbidden, each(1))
    above = builder.and_(cells, builder.not_(low))
    return builder.or_(builder.and_(cells, low), builder.lshr(above, each(1)))


class _Columns:
    """The columns of a position, from which all patterns are read."""

    def __init__(self, builder: Any, free: Any, landing: Any, forbidden: Any, odd: Any) -> None:
        self.builder = builder
        self.forbidden = forbidden
        self.full = builder.icmp_unsigned("==", landing, each(0))
        packed = _without_gap(builder, landing, forbidden)
        height = popcounts(builder, builder.sub(packed, each(1)))
        self.height = builder.and_(height, each(15))
        counts = popcounts(builder, free)
        self.context = builder.or_(
            builder.and_(counts, each(1)), builder.shl(broadcast(builder, odd), each(1))
        )

    def from_landing(self, cells: Any) -> Any:
        """Return each column's cells as a number with the landing cell as the lowest bit."""
        return self.builder.lshr(_without_gap(self.builder, cells, self.forbidden), self.height)

    def rows(self, pattern: Any, bits: int, first: int) -> Any:
        """Return the table rows of a pattern."""
        builder = self.builder
        number = builder.or_(pattern, builder.shl(self.context, each(bits)))
        if first:
            number = builder.add(number, each(first))
        return builder.select(self.full, each(NOTHING), number)


def _bits(builder: Any, value: Any, first: int, count: int) -> Any:
    """Return bits `first` to `first + count - 1` of each column as a number."""
    moved = builder.lshr(value, each(first)) if first else value
    return builder.and_(moved, each((1 << count) - 1))


def _joined(builder: Any, *parts: tuple[Any, int]) -> Any:
    """Join (number, width in bits) pairs into one number, the first one lowest."""
    result, place = parts[0]
    for value, width in parts[1:]:
        result = builder.or_(result, builder.shl(value, each(place)))
        place += width
    return result


def _promises(builder: Any, stones: Any, gaps: Sequence[Any]) -> list[Any]:
    """Return the promises for each set of gaps, including occupied cells.

    A gap is the cell that would become the threat.
    """
    found: list[list[Any]] = [[] for _ in gaps]
    for slope in SLOPES:
        pairs = pairs_along(builder, stones, slope)
        for cells, results in zip(gaps, found, strict=True):
            room = along(builder, cells, slope)
            results.extend(builder.and_(pairs[gap], room[gap]) for gap in STEPS)
    below = builder.and_(shifted(builder, stones, 0, -1), shifted(builder, stones, 0, -2))
    for cells, results in zip(gaps, found, strict=True):
        results.append(builder.and_(below, shifted(builder, cells, 0, 1)))
    return [any_of(builder, results) for results in found]


def _influence(builder: Any, stones: Any, free: Any) -> Any:
    """Return the cells, including occupied ones, on lines with stones of one side only."""
    found = []
    for slope in SLOPES:
        near = along(builder, stones, slope)
        room = {
            step: builder.or_(cells, near[step])
            for step, cells in along(builder, free, slope).items()
        }
        for window in WINDOWS:
            a, b, c = window
            open_line = builder.and_(builder.and_(room[a], room[b]), room[c])
            found.append(builder.and_(open_line, any_of(builder, [near[step] for step in window])))
    return any_of(builder, found)


@instruction(register, register)
def _odd_from_top(builder: Any, cells: Any) -> Any:
    parity = cells
    for distance in (1, 2, 4, 8):
        parity = builder.xor(parity, builder.lshr(parity, each(distance)))
    return builder.and_(parity, cells)


@instruction(UniTuple(register, KINDS), *[register] * 8, types.int64)
def _rows_of(
    builder: Any,
    own: Any,
    other: Any,
    own_threats: Any,
    other_threats: Any,
    free: Any,
    landing: Any,
    forbidden: Any,
    odd_cells: Any,
    odd: Any,
) -> Any:
    columns = _Columns(builder, free, landing, forbidden, odd)

    def read(cells: Any) -> Any:
        return columns.from_landing(builder.and_(cells, free))

    parity = builder.sub(broadcast(builder, odd), each(1))
    good = builder.and_(free, builder.xor(odd_cells, parity))
    bad = builder.xor(free, good)
    promises = [
        read(cells) for stones in (own, other) for cells in _promises(builder, stones, (good, bad))
    ]
    near, far = (
        _joined(
            builder,
            *((_bits(builder, cells, first, PROMISED_CELLS), PROMISED_CELLS) for cells in promises),
        )
        for first in (0, PROMISED_CELLS)
    )
    threats = _joined(
        builder,
        (_bits(builder, read(own_threats), 1, OWN_CELLS), OWN_CELLS),
        (_bits(builder, read(other_threats), 0, OTHER_CELLS), OTHER_CELLS),
    )
    influence = _joined(
        builder,
        *(
            (
                _bits(builder, read(_influence(builder, stones, free)), 0, INFLUENCED_CELLS),
                INFLUENCED_CELLS,
            )
            for stones in (own, other)
        ),
    )
    result = ir.Constant(ir.ArrayType(_REGISTER, KINDS), ir.Undefined)
    for place, (pattern, bits, first) in enumerate(
        (
            (threats, _THREAT_BITS, 0),
            (near, _PROMISE_BITS, FIRST_NEAR),
            (far, _PROMISE_BITS, FIRST_FAR),
            (influence, _INFLUENCE_BITS, FIRST_INFLUENCE),
        )
    ):
        result = builder.insert_value(result, columns.rows(pattern, bits, first), place)
    return result


odd_from_top: Callable[[Register], Register] = cast("Any", _odd_from_top)
"""Return the cells from which there is an odd number of cells to the top, itself included."""
rows_of: Callable[..., tuple[Register, Register, Register, Register]] = cast("Any", _rows_of)
"""Return the table rows of every column for each kind of pattern.

Arguments: stones of the side to move and of its opponent, unmasked threats of both, free cells,
landing cells, forbidden cell, `odd_from_top` of the board's cells, and the parity of the number of
free cells.
"""
