"""Tactical positions on `thu` boards, and the columns that solve them."""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from bots.uct.root import root_threats
from engine.board_class import THU
from engine.position import Position
from engine.seeds import SplitMix
from tests.bots.support import random_position


class Puzzle(NamedTuple):
    """A position and its right columns."""

    position: Position
    solutions: frozenset[int]


def columns_of(mask: int) -> frozenset[int]:
    return frozenset(column for column in range(12) if mask >> column & 1)


def win_in_one(position: Position) -> frozenset[int]:
    """Return all columns that connect four."""
    return columns_of(root_threats(position).wins)


def block_in_one(position: Position) -> frozenset[int]:
    """Return the column of the opponent's only winning cell, if there is no own win."""
    wins, threats = root_threats(position)
    return columns_of(threats) if threats.bit_count() == 1 and not wins else frozenset()


def under_a_threat(position: Position) -> frozenset[int]:
    """Return the columns after which the opponent cannot win at once, if there are others."""
    if any(root_threats(position)):
        return frozenset()
    safe = {
        column for column in position.legal_moves() if not root_threats(position.play(column)).wins
    }
    return frozenset(safe)


THEMES: dict[str, Callable[[Position], frozenset[int]]] = {
    "win in one": win_in_one,
    "block in one": block_in_one,
    "cell under a threat": under_a_threat,
}


@lru_cache(maxsize=16)
def puzzles(theme: str, count: int) -> tuple[Puzzle, ...]:
    """Return the first `count` puzzles of a theme, always the same."""
    random = SplitMix(1 + list(THEMES).index(theme))
    found: list[Puzzle] = []
    while len(found) < count:
        board = THU.draw(random)
        position = random_position(board, 12 + random.below(40), random)
        solutions = THEMES[theme](position)
        if solutions and len(solutions) < len(position.legal_moves()):
            found.append(Puzzle(position, solutions))
    return tuple(found)
