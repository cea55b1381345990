"""The order of null windows that bound the score of a position, and the solver's kernels.

First come windows for near ends, then the outcome, then the distance. A likely score is tried
first, with windows ever farther from it, up or down.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from engine.compiled import lean, lean_kernel
from engine.lanes import WordArray
from engine.solver import wide, wide_table, word, word_table
from engine.solver.memory import (
    NO_GUESS,
    Integers,
    SolverMemory,
    SolverQuestion,
    clear_entries,
)
from engine.solver.node import DRAWN, FAR, LOST, Node, settle_on
from engine.solver.search import search_on

SOON = 3
"""Half the plies within which the first windows look for an end; the next windows double them."""
LARGE_CELLS = 64
"""On boards with more cells only the second windows double the plies; each further one adds two.
Otherwise the third would often use up the nodes of a limited search. Before each further pair of
windows the outcome is tried with as many nodes as were used so far."""
LEAST_TRY = 1000
"""Least nodes to try the outcome with."""

# columns of the results
ANSWER_LOW, ANSWER_HIGH, ANSWER_NODES = range(3)


class Guess(NamedTuple):
    """A likely score, or one more."""

    score: Any
    step: Any
    """Distance to the next one, or 0 without one."""
    way: Any
    """1 if the last window moved it up, -1 if down, 0 before the first."""


@lean
def _half_plies_of(window: Any, total: int) -> Any:
    """Return half the plies of a window: 3, 6, 12, ...; on large boards 3, 6, 7, 8, ..."""
    if total > LARGE_CELLS and window > 1:
        return np.int64(2 * SOON + window - 1)
    return np.int64(SOON << window)


@lean
def _next_near(trials: Any, low: Any, high: Any, highest: Any, total: int) -> Any:
    """Return the next bound that asks for a near end, or `FAR`, and the trials."""
    while _half_plies_of(trials >> 1, total) <= highest // 2:
        near = _half_plies_of(trials >> 1, total)
        bound = np.int64(highest - near if trials % 2 == 0 else near - highest)
        trials += 1
        if low < bound <= high and (bound > 1 or bound < 0):
            return bound, trials
    return np.int64(FAR), trials


@lean
def _usual(low: Any, high: Any) -> Any:
    """Return the bound that asks for a win, else for a loss, else halves the distances."""
    if low <= 0 < high:
        return np.int64(1)
    if low < 0 == high:
        return np.int64(0)
    return np.int64(low + (high - low) // 2 + 1)


@lean
def _moved(guess: Guess, is_up: Any, low: Any, high: Any) -> Guess:
    """Return the guess after its window: a step farther, a doubled one in the same direction."""
    way = np.int64(1 if is_up else -1)
    step = guess.step
    if guess.way == way:
        step = 2 * step
    elif guess.way != 0:
        step = np.int64(0)
    return Guess(np.int64(low + step if is_up else high + 1 - step), step, way)


def solve_on(layout: ModuleType, table: ModuleType) -> Callable[..., None]:
    """Build the solver's kernel; see `engine.solver.node.node_on` for the arguments."""
    load, without, any_cell, count = layout.load, layout.without, layout.any_cell, layout.count
    landing, threats = layout.landing, layout.threats
    settle, search, entry = settle_on(layout), search_on(layout, table), table.ENTRY

    @lean
    def bound_score(
        node: Node,
        guess: Guess,
        reach: Any,
        board: Any,
        memory: SolverMemory,
        question: SolverQuestion,
    ) -> Any:
        """Return bounds on the score of a node, and the nodes of the search.

        `reach` is the least score of a win within the horizon.
        """
        total = question.total
        high: Any = np.int64((total - 1 - node.ply) // 2)
        low: Any = np.int64(-((total - 2 - node.ply) // 2))
        highest = high
        nodes: Any = np.int64(0)
        trials: Any = np.int64(0)
        tried: Any = np.int64(2)
        while low < high and nodes < question.limit:
            if question.is_weak and (low > 0 or high < 0):
                break
            if -reach < low and high < reach:
                break
            beta = _usual(low, high)
            is_guess = bool(guess.step > 0)
            if is_guess:
                beta = min(max(guess.score, low + 1), high)
            limit = question.limit
            if total > LARGE_CELLS and trials >> 1 >= tried and low <= 0 <= high:
                # a try of the outcome, by turns whether it is a win and whether it is a loss
                tried = (trials >> 1) + 1
                limit = min(limit, nodes + max(nodes, LEAST_TRY))
                is_guess = False
                if low < 0 < high:
                    beta = np.int64(tried & 1)
            else:
                near, trials = _next_near(trials, low, high, highest, total)
                if near != FAR:
                    beta = near
                    is_guess = False
            if 1 - reach < beta < reach:
                beta = np.int64(reach if high >= reach else 1 - reach)
                is_guess = False
            value, nodes = search(node, beta, board, memory, question, nodes, limit)
            if value == FAR:
                if nodes >= question.limit or memory.stop[0]:
                    break
                continue
            if value >= beta:
                low = max(low, value)
            else:
                high = min(high, value)
            if is_guess:
                guess = _moved(guess, value >= beta, low, high)
        return low, high, nodes

    @lean
    def load_board(rows: WordArray) -> Any:
        return (
            load(rows, 0),
            load(rows, 1),
            load(rows, 2),
            load(rows, 3),
            load(rows, 4),
            load(rows, 5),
            load(rows, 6),
            load(rows, 7),
        )

    @lean
    def solve(
        stones: WordArray, memory: SolverMemory, question: SolverQuestion, answer: Integers
    ) -> None:
        """Bound the score of a position that is not over."""
        board, total = load_board(memory.constants), question.total
        cells, forbidden = board[2], board[3]
        own, other = load(stones, 0), load(stones, 1)
        ply = count(own) + count(other)
        nodes: Any = np.int64(0)
        sign = np.int64(1)
        if any_cell(landing(own | other | forbidden, board) & cells & threats(own, board)):
            low: Any = np.int64((total + 1 - ply) // 2)
            high: Any = low
        else:
            threatened = threats(other, board) & without(cells, own | other)
            state, then, mover, rest, moves = settle(own, other, threatened, ply, board)
            if (then - ply) & 1:
                sign = np.int64(-1)
            if state == LOST:
                low = np.int64(-((total - then) // 2))
                high = low
            elif state == DRAWN:
                low = np.int64(0)
                high = np.int64(0)
            else:
                score = np.int64(sign * question.guess)
                step = np.int64(1 if abs(score) < NO_GUESS else 0)
                guess = Guess(score, step, np.int64(0))
                reach = (total + 2 - ply - question.horizon) // 2
                node = Node(mover, rest, moves, then)
                low, high, nodes = bound_score(node, guess, reach, board, memory, question)
        answer[ANSWER_NODES] = nodes
        answer[ANSWER_LOW] = low if sign > 0 else -high
        answer[ANSWER_HIGH] = high if sign > 0 else -low

    @lean
    def solve_each(
        stones: WordArray, memory: SolverMemory, question: SolverQuestion, answers: Integers
    ) -> None:
        """Bound the scores of positions, one after another; see `engine.solver.solver`."""
        for number in range(max(1, len(stones))):
            if question.clears:
                clear_entries(memory.known, memory.journal, entry)
            if number == len(stones):
                break
            solve(stones[number], memory, question, answers[number])

    return solve_each


_solve_word = solve_on(word, word_table)
_solve_wide = solve_on(wide, wide_table)


@lean_kernel
def solve_on_word(
    stones: WordArray, memory: SolverMemory, question: SolverQuestion, answers: Integers
) -> None:
    """Bound the scores of positions on a board that fits in one word."""
    _solve_word(stones, memory, question, answers)


@lean_kernel
def solve_on_wide(
    stones: WordArray, memory: SolverMemory, question: SolverQuestion, answers: Integers
) -> None:
    """Bound the scores of positions on a larger board, in three words."""
    _solve_wide(stones, memory, question, answers)
