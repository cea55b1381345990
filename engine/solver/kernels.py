"""The compiled solvers, one for each layout. Importing compiles nothing yet."""

import numpy as np
from numpy.typing import NDArray

from engine.compiled import kernel
from engine.lanes import WordArray
from engine.solver import lanes, lanes_table, word, word_table
from engine.solver.search import search_on

Integers = NDArray[np.int64]

_solve_word = search_on(word, word_table)
_solve_lanes = search_on(lanes, lanes_table)


@kernel
def solve_on_word(
    stones: WordArray,
    constants: WordArray,
    numbers: Integers,
    sets: WordArray,
    frames: Integers,
    child_sets: WordArray,
    children: Integers,
    known: WordArray,
    shape: WordArray,
    journal: Integers,
    weights: Integers,
    limit: int,
    told: Integers,
) -> None:
    """Bound the score of a position on a board in one word."""
    _solve_word(
        stones,
        constants,
        numbers,
        sets,
        frames,
        child_sets,
        children,
        known,
        shape,
        journal,
        weights,
        limit,
        told,
    )


@kernel
def solve_on_lanes(
    stones: WordArray,
    constants: WordArray,
    numbers: Integers,
    sets: WordArray,
    frames: Integers,
    child_sets: WordArray,
    children: Integers,
    known: WordArray,
    shape: WordArray,
    journal: Integers,
    weights: Integers,
    limit: int,
    told: Integers,
) -> None:
    """Bound the score of a position on a board in lanes."""
    _solve_lanes(
        stones,
        constants,
        numbers,
        sets,
        frames,
        child_sets,
        children,
        known,
        shape,
        journal,
        weights,
        limit,
        told,
    )
