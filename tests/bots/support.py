"""Helpers of the tests of players: building them, playing games, and boards of every kind."""

import pytest

from bots.catalogue import VERSIONS, build
from bots.player import Choice, Player
from bots.protocol import Budget
from engine.board import Board, parse_board
from engine.position import Position
from engine.seeds import SplitMix

BOARDS = tuple(
    parse_board(text)
    for text in ("4x4", "4x4@0,1", "6x7", "5x12@4,3", "12x4@3,2", "9x10@8,9", "12x12@0,0")
)
"""Small and large boards, without a forbidden cell or with one at the bottom, top or corner."""


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


def match(first: str, second: str, boards: list[Board], budget: Budget) -> float:
    """Return the score per game of `first` in pairs of games, one pair per board."""
    points = 0.0
    for number, board in enumerate(boards):
        for swapped in (False, True):
            names = (second, first) if swapped else (first, second)
            sides = [
                player(name, board, side, budget, seed=number) for side, name in enumerate(names)
            ]
            position = Position(board)
            while not position.is_over:
                column = sides[position.to_move].choose(position.moves).column
                position = position.play(column)
            if position.winner is None:
                points += 0.5
            else:
                points += names[position.winner] == first
    return points / (2 * len(boards))


def random_position(board: Board, plies: int, random: SplitMix) -> Position:
    """Return a position after random moves, or the last one before the game's end."""
    position = Position(board)
    while position.ply < plies:
        after = position.play(random.choice(position.legal_moves()))
        if after.is_over:
            break
        position = after
    return position
