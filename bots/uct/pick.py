"""Choosing among siblings in one go: `bots.uct.choice.urgency` on sixteen lanes of a register."""

from typing import Any, cast

import numba.core.cgutils
from llvmlite import ir
from numba import types

from engine.compiled import intrinsic

# numba's types cover only part of it
declare: Any = numba.core.cgutils.get_or_insert_function

LANES = 16

_I1, _I16, _I32, _I64 = (ir.IntType(bits) for bits in (1, 16, 32, 64))
_F32 = ir.FloatType()
_INTS = ir.VectorType(_I32, LANES)
_FLOATS = ir.VectorType(_F32, LANES)


def _each(builder: Any, value: Any, kind: Any) -> Any:
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(_I32, 0))
    return builder.shuffle_vector(one, one, ir.Constant(_INTS, [0] * LANES))


def _constant(value: float) -> Any:
    return ir.Constant(_FLOATS, [value] * LANES)


def _load(builder: Any, data: Any, place: Any) -> Any:
    item = builder.gep(data, [place])
    values = builder.load(builder.bitcast(item, _INTS.as_pointer()), align=4)
    return builder.sitofp(values, _FLOATS)


def _maximum(builder: Any, values: Any) -> Any:
    """The largest lane, in all lanes. No lane is NaN."""
    for step in (8, 4, 2, 1):
        turned = ir.Constant(_INTS, [(lane ^ step) for lane in range(LANES)])
        other = builder.shuffle_vector(values, values, turned)
        values = builder.select(builder.fcmp_ordered(">", values, other), values, other)
    return values


def _most_urgent(typing_context: Any, tree: Any, first: Any, count: Any, explore: Any) -> Any:  # noqa: ARG001 - numba's form
    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, values[0]).data
        first_, count_, explore_ = values[1:]
        visits = _load(builder, data, first_)
        score = _load(builder, data, builder.add(first_, count_))
        root = declare(
            builder.module, ir.FunctionType(_FLOATS, [_FLOATS]), f"llvm.sqrt.v{LANES}f32"
        )
        r = builder.fdiv(_constant(1.0), builder.call(root, [visits]))
        mean = builder.fmul(builder.fmul(score, _constant(0.5)), r)
        total = builder.fmul(builder.fadd(mean, _each(builder, explore_, _FLOATS)), r)
        numbers = ir.Constant(_INTS, list(range(LANES)))
        there = builder.icmp_signed(
            "<", numbers, _each(builder, builder.trunc(count_, _I32), _INTS)
        )
        total = builder.select(there, total, _constant(float("-inf")))
        best = builder.fcmp_ordered("==", total, _maximum(builder, total))
        mask = builder.bitcast(best, _I16)
        number = builder.cttz(mask, ir.Constant(_I1, 1))
        return builder.add(first_, builder.zext(number, _I64))

    return types.int64(tree, types.int64, types.int64, types.float32), emit


most_urgent = cast("Any", intrinsic(_most_urgent))
"""The place of the most urgent of siblings, the first among equals.

Arguments: the tree's array, the place of the first one's visits, how many there are (at most 12,
all visited, their scores following their visits), the shared factor of `choice.exploration`.
Reads sixteen integers from both places.
"""
