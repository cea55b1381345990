"""The solver's kernels, one for each layout; importing does not compile them."""

from engine.compiled import kernel
from engine.lanes import WordArray
from engine.solver import lanes, lanes_table, word, word_table
from engine.solver.memory import Integers, SolverMemory, SolverQuestion
from engine.solver.search import solve_on

_solve_word = solve_on(word, word_table)
_solve_lanes = solve_on(lanes, lanes_table)


@kernel
def solve_on_word(
    stones: WordArray, memory: SolverMemory, question: SolverQuestion, answers: Integers
) -> None:
    """Bound the scores of positions on a board that fits in one word."""
    _solve_word(stones, memory, question, answers)


@kernel
def solve_on_lanes(
    stones: WordArray, memory: SolverMemory, question: SolverQuestion, answers: Integers
) -> None:
    """Bound the scores of positions on a larger board, in lanes."""
    _solve_lanes(stones, memory, question, answers)
