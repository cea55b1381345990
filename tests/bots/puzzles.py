"""Tactical positions on `thu` boards, found and solved by full search.

Every puzzle is a position and the columns that solve it.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from bots.player import Choice
from engine.board import THU, Board, parse_board_class
from engine.position import LANE, Geometry, Position, connects_four, geometry
from engine.seeds import SplitMix
from tests.bots.support import random_position


class Puzzle(NamedTuple):
    """A position and its right columns."""

    position: Position
    solutions: frozenset[int]


def landing_cells(masks: Geometry, occupied: int) -> Iterator[int]:
    """Return the cells on which a stone can land."""
    filled = occupied | masks.forbidden
    landing = (filled + masks.bottoms) & ~filled & masks.cells
    while landing:
        yield landing & -landing
        landing &= landing - 1


def winning_cells(masks: Geometry, own: int, occupied: int) -> list[int]:
    """Return the landing cells that connect four."""
    return [cell for cell in landing_cells(masks, occupied) if connects_four(own | cell)]


def column_of(cell: int) -> int:
    return (cell.bit_length() - 1) // LANE


def winning_first_cells(masks: Geometry, own: int, other: int, plies: int) -> list[int]:
    """Return the cells that win by force within an odd number of plies."""
    wins = winning_cells(masks, own, own | other)
    if wins or plies == 1:
        return wins
    return [
        cell
        for cell in landing_cells(masks, own | other)
        if _holds(masks, own | cell, other, plies - 1)
    ]


def _holds(masks: Geometry, own: int, other: int, plies: int) -> bool:
    """Return whether every reply of `other` loses within `plies` more plies."""
    occupied = own | other
    replies = list(landing_cells(masks, occupied))
    if not replies or winning_cells(masks, other, occupied):
        return False
    threats = winning_cells(masks, own, occupied)
    if len(threats) > 1:
        return True
    return all(
        bool(winning_first_cells(masks, own, other | reply, plies - 1))
        for reply in threats or replies
    )


def _stones(position: Position) -> tuple[Geometry, int, int]:
    mover = position.to_move
    return geometry(position.board), position.stones[mover], position.stones[1 - mover]


def win_in_one(position: Position) -> frozenset[int]:
    """Return all columns that connect four."""
    masks, own, other = _stones(position)
    return frozenset(map(column_of, winning_cells(masks, own, own | other)))


def block_in_one(position: Position) -> frozenset[int]:
    """Return the column of the opponent's only winning cell, if there is no own win."""
    masks, own, other = _stones(position)
    threats = winning_cells(masks, other, own | other)
    if len(threats) != 1 or win_in_one(position):
        return frozenset()
    return frozenset(map(column_of, threats))


def _win_within(position: Position, plies: int) -> frozenset[int]:
    masks, own, other = _stones(position)
    for fewer in range(1, plies, 2):
        if winning_first_cells(masks, own, other, fewer):
            return frozenset()
    return frozenset(map(column_of, winning_first_cells(masks, own, other, plies)))


def double_threat(position: Position) -> frozenset[int]:
    """Return the columns that win within three plies, if none wins at once."""
    return _win_within(position, 3)


def forced_win(position: Position) -> frozenset[int]:
    """Return the columns that win within five plies, if none wins within three."""
    return _win_within(position, 5)


def under_a_threat(position: Position) -> frozenset[int]:
    """Return the columns after which the opponent cannot win at once, if there are others."""
    masks, own, other = _stones(position)
    if win_in_one(position) or winning_cells(masks, other, own | other):
        return frozenset()
    safe: set[int] = set()
    unsafe: set[int] = set()
    for cell in landing_cells(masks, own | other):
        lost = winning_cells(masks, other, own | other | cell)
        (unsafe if lost else safe).add(column_of(cell))
    return frozenset(safe) if unsafe else frozenset()


def solves(puzzle: Puzzle, choice: Choice) -> bool:
    """Return whether a choice is a solution, or another proven win."""
    proven = choice.info is not None and choice.info.proven == "win"
    return choice.column in puzzle.solutions or proven


THEMES: dict[str, Callable[[Position], frozenset[int]]] = {
    "win in one": win_in_one,
    "block in one": block_in_one,
    "cell under a threat": under_a_threat,
    "double threat": double_threat,
    "win within five": forced_win,
}


def thu_board(random: SplitMix) -> Board:
    return parse_board_class(THU).draw(random)


@lru_cache(maxsize=16)
def puzzles(theme: str, count: int) -> tuple[Puzzle, ...]:
    """Return the first `count` puzzles of a theme, always the same."""
    random = SplitMix(1 + list(THEMES).index(theme))
    found: list[Puzzle] = []
    while len(found) < count:
        position = random_position(thu_board(random), 12 + random.below(40), random)
        solutions = THEMES[theme](position)
        if solutions and len(solutions) < len(position.legal_moves()):
            found.append(Puzzle(position, solutions))
    return tuple(found)
