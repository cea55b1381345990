"""The selection formula in single precision, the same in all kernels: UCB1.

See Auer, Cesa-Bianchi and Fischer (2002); in trees: Kocsis and Szepesvari (2006)::

    Q / N + c * sqrt(2 * ln(N_parent) / N)

With r = 1 / sqrt(N) this is (Q * r + explore) * r, one root and one division per child; `explore`
is the same for all siblings. `ucb` computes it for one child, the other functions for all siblings
in a register of sixteen numbers, with the same order of operations, so that all searches choose
alike.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from engine.bits import leading_zeros64
from engine.compiled import inlined, instruction, kernel
from engine.vector import UniTuple, declare

WIDTH = 16

SOLVED_OFFSET = -1000.0
"""Offset of the mean of an edge to a solved node."""

_I1, _I16, _I32, _I64 = (ir.IntType(bits) for bits in (1, 16, 32, 64))
_F32 = ir.FloatType()
_INTS = ir.VectorType(_I32, WIDTH)
_FLOATS = ir.VectorType(_F32, WIDTH)
_KNOWN_BITS = 12
_LOG = np.array([0.0] + [math.log(n) for n in range(1, 1 << _KNOWN_BITS)])
_LOG_2 = math.log(2.0)
_SPARE = np.uint64(64 - _KNOWN_BITS)


@kernel
def exploration(c: float, parent_visits: int | np.int64) -> np.float32:
    """Return the factor that all siblings share: c * sqrt(2 * ln(N_parent)).

    The logarithm is from a table, because computing it took a tenth of a search. The table covers
    numbers up to 4095; for larger ones the twelve highest bits give an error below 0.0005.
    """
    visits = np.uint64(parent_visits)
    zeros = leading_zeros64(visits)
    shift = _SPARE - zeros if zeros < _SPARE else np.uint64(0)
    log = _LOG[visits >> shift] + _LOG_2 * np.float64(shift)
    return np.float32(c * np.sqrt(2.0 * log))


@kernel
def ucb(score: np.float32, visits: int, explore: np.float32) -> np.float32:
    """Return the UCB of a child with a total score in 0 .. visits."""
    r = np.float32(1.0) / np.sqrt(np.float32(visits))
    return np.float32((score * r + explore) * r)


@inlined
def fourth_root_exploration(c: float, parent_visits: np.int64) -> np.float32:
    """Return a factor that grows faster than `exploration`: c * N_parent ** (1 / 4).

    See D. Shah, Q. Xie and Z. Xu, Non-Asymptotic Analysis of Monte Carlo Tree Search (2020).
    """
    return np.float32(c * np.sqrt(np.sqrt(np.float64(parent_visits))))


def _each(builder: Any, value: Any, kind: Any) -> Any:
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(_I32, 0))
    return builder.shuffle_vector(one, one, ir.Constant(_INTS, [0] * WIDTH))


def _constant(value: float) -> Any:
    return ir.Constant(_FLOATS, [value] * WIDTH)


def _load(builder: Any, data: Any, place: Any) -> Any:
    item = builder.gep(data, [place])
    return builder.load(builder.bitcast(item, _INTS.as_pointer()), align=4)


def _over_all(builder: Any, values: Any, combine: Callable[[Any, Any], Any]) -> Any:
    """Return the combination of all places, in a fixed order, in all places."""
    for step in (8, 4, 2, 1):
        turned = ir.Constant(_INTS, [place ^ step for place in range(WIDTH)])
        values = combine(values, builder.shuffle_vector(values, values, turned))
    return values


def _maximum(builder: Any, values: Any) -> Any:
    """Return the largest number in all places; none is NaN."""

    def larger(left: Any, right: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", left, right), left, right)

    return _over_all(builder, values, larger)


def _present(builder: Any, count: Any) -> Any:
    numbers = ir.Constant(_INTS, list(range(WIDTH)))
    return builder.icmp_signed("<", numbers, _each(builder, builder.trunc(count, _I32), _INTS))


def _place_of_best(builder: Any, total: Any, first: Any, count: Any) -> Any:
    total = builder.select(_present(builder, count), total, _constant(float("-inf")))
    best = builder.fcmp_ordered("==", total, _maximum(builder, total))
    number = builder.cttz(builder.bitcast(best, _I16), ir.Constant(_I1, 1))
    return builder.add(first, builder.zext(number, _I64))


def _inverse_root(builder: Any, visits: Any) -> Any:
    root = declare(builder.module, ir.FunctionType(_FLOATS, [_FLOATS]), f"llvm.sqrt.v{WIDTH}f32")
    return builder.fdiv(_constant(1.0), builder.call(root, [visits]))


@instruction(types.int64, None, types.int64, types.int64, types.float32)
def _best_child(builder: Any, data: Any, place: Any, siblings: Any, factor: Any) -> Any:
    visits = builder.sitofp(_load(builder, data, place), _FLOATS)
    score = builder.sitofp(_load(builder, data, builder.add(place, siblings)), _FLOATS)
    r = _inverse_root(builder, visits)
    mean = builder.fmul(builder.fmul(score, _constant(0.5)), r)
    total = builder.fmul(builder.fadd(mean, _each(builder, factor, _FLOATS)), r)
    return _place_of_best(builder, total, place, siblings)


@instruction(types.int64, None, types.int64, types.int64, types.float32)
def _best_edge(builder: Any, data: Any, place: Any, siblings: Any, factor: Any) -> Any:
    visits = builder.sitofp(_load(builder, data, place), _FLOATS)
    means = builder.bitcast(_load(builder, data, builder.add(place, siblings)), _FLOATS)
    bonus = builder.fmul(_each(builder, factor, _FLOATS), _inverse_root(builder, visits))
    return _place_of_best(builder, builder.fadd(means, bonus), place, siblings)


@instruction(UniTuple(types.float32, 2), None, types.int64, types.int64, types.int64)
def _sum_edges(builder: Any, data: Any, place: Any, siblings: Any, made: Any) -> Any:
    visits = builder.sitofp(_load(builder, data, place), _FLOATS)
    means = builder.bitcast(_load(builder, data, builder.add(place, siblings)), _FLOATS)
    certain = builder.fcmp_ordered("<", means, _constant(SOLVED_OFFSET / 2))
    means = builder.select(certain, builder.fsub(means, _constant(SOLVED_OFFSET)), means)
    weights = builder.select(certain, _constant(1.0), visits)
    weights = builder.select(_present(builder, made), weights, _constant(0.0))
    means = builder.select(_present(builder, made), means, _constant(0.0))
    points = builder.fmul(weights, builder.fsub(_constant(1.0), means))
    both = ir.Constant(ir.ArrayType(_F32, 2), ir.Undefined)
    for number, values in enumerate((points, weights)):
        sums = _over_all(builder, values, builder.fadd)
        first = builder.extract_element(sums, ir.Constant(_I32, 0))
        both = builder.insert_value(both, first, number)
    return both


best_child = _best_child
"""Return the place of the sibling with the highest UCB, the first of equals.

Arguments: the tree's array, the place of the first sibling's visits, the number of siblings (at
most 12, all visited, their scores following their visits), the factor of
`exploration`. Sixteen integers are read from both places.
"""

best_edge = _best_edge
"""Return the place of the edge with the highest UCB, the first of equals.

Arguments: the array of edges, the place of the first edge's visits, the number of edges (at most
12, all visited, their means following their visits), the factor of `exploration`. The
means are single-precision numbers in the same array. Edges to solved nodes, marked by
`SOLVED_OFFSET`, are chosen only if there is no other.
"""

sum_edges = _sum_edges
"""Return the points of a node's mover over all edges of the node, and their weight.

The weight of an edge is its number of visits, or 1 if it leads to a solved node. Arguments: the
array, the place of the first edge's visits, the block's stride, the number of edges made.
"""
