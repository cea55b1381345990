"""Helpers of the tests of players: building them, playing games, and boards of every kind."""

from functools import lru_cache

import pytest

from bots.catalogue import VERSIONS, build
from bots.player import Choice, Player
from bots.protocol import Budget
from engine.board import Board, parse_board
from engine.position import Position
from engine.seeds import SplitMix
from engine.solver.solver import Solver

BOARDS = tuple(
    parse_board(text)
    for text in ("4x4", "4x4@0,1", "6x7", "5x12@4,3", "12x4@3,2", "9x10@8,9", "12x12@0,0")
)
"""Small and large boards, without a forbidden cell or with one at the bottom, top or corner."""
SMALL = ("4x4", "4x5", "5x4", "5x5", "4x4@0,1", "4x5@2,2", "5x5@2,2", "5x4@3,0", "5x5@4,4")


def newest_first(names: list[str]) -> list[object]:
    """Return parameters: the two newest versions, then older ones in `make test-slow`.

    The code of an older version no longer changes, and golden games of all versions show that.
    """
    newest, older = names[-2:], names[:-2]
    return [*newest, *(pytest.param(name, marks=pytest.mark.very_slow) for name in older)]


def work_budget(name: str, amount: int) -> Budget:
    """Return a work budget that the player accepts: simulations, nodes or depth."""
    kinds = VERSIONS[name].budgets
    if "nodes" in kinds:
        return Budget(nodes=amount)
    return Budget(depth=2) if "depth" in kinds else Budget(simulations=amount)


def player(name: str, board: Board, side: int, budget: Budget, seed: int = 1) -> Player:
    return build(name, board=board, side=side, seed=seed, budget=budget)


def self_play(name: str, board: Board, budget: Budget, seed: int = 1) -> list[Choice]:
    """Return all choices of a game of the player against itself; fail on an illegal move."""
    sides = [player(name, board, side, budget, seed) for side in (0, 1)]
    position = Position(board)
    choices = []
    while not position.is_over:
        choice = sides[position.to_move].choose(position.moves)
        assert position.can_play(choice.column), (position.notation(), choice)
        choices.append(choice)
        position = position.play(choice.column)
    return choices


def random_position(board: Board, plies: int, random: SplitMix) -> Position:
    """Return a position after random moves, or the last one before the game's end."""
    position = Position(board)
    while position.ply < plies:
        after = position.play(random.choice(position.legal_moves()))
        if after.is_over:
            break
        position = after
    return position


@lru_cache(maxsize=4)
def small_positions(count: int, most_empty: int) -> tuple[Position, ...]:
    """Return random positions of small boards with at most so many empty cells, `count` on each."""
    random = SplitMix(17)
    found: list[Position] = []
    for board in map(parse_board, SMALL):
        wanted = len(found) + count
        while len(found) < wanted:
            empty = 4 + random.below(most_empty - 3)
            position = random_position(board, board.cells - empty, random)
            if position.ply >= board.cells - most_empty:
                found.append(position)
    return tuple(found)


@lru_cache
def solver(board: Board) -> Solver:
    return Solver(board, 16)


def true_value(position: Position) -> tuple[int, int]:
    """Return the result for the side to move, 1, 0 or -1, and the plies to a win or loss.

    It is that of the solver, which the engine's tests compare with brute force.
    """
    value = solver(position.board).solve(position).low
    return int(value.outcome), value.distance or 0
