"""Proofs of versions from v6 on are true, by full search."""

from functools import cache
from typing import NamedTuple

import pytest

from bots.catalogue import VERSIONS
from bots.player import Choice, Info, Player
from bots.protocol import Budget
from engine.board import Board
from engine.position import Position
from tests.bots.support import newest_first, player, small_positions, true_value

UCT = [name for name, version in VERSIONS.items() if version.family == "uct"]
PROVING = UCT[UCT.index("v6") :]
EXACT = UCT[UCT.index("v12") :]
SOLVES_SMALL = UCT[UCT.index("v14") :]
RESULTS = {"win": 1, "draw": 0, "loss": -1}


class Solved(NamedTuple):
    """A position, a search of it to its end, and the game after a claimed win."""

    position: Position
    info: Info
    left: int | None
    """Plies of the claimed distance that the game did not need; None without a claimed win."""


@cache
def solved(name: str) -> tuple[Solved, ...]:
    """Search every position with a version, and play claimed wins to the end."""
    found = []
    for position in small_positions(8, 12):
        board = position.board
        # Small boards need little room, and a graph writes its whole table when it is built.
        budget = Budget(simulations=600_000)
        bot = player(f"{name}?memory_mib=32", board, position.to_move, budget)
        choice = bot.choose(position.moves)
        assert choice.info is not None
        left = None
        if choice.info.proven == "win" and choice.info.distance is not None:
            left = choice.info.distance - plies_to_win(bot, position, choice)
        found.append(Solved(position, choice.info, left))
    return tuple(found)


def plies_to_win(bot: Player, position: Position, choice: Choice) -> int:
    """Return the plies that a player needs to win against the longest resistance."""
    side, start = position.to_move, position.ply
    while True:
        position = position.play(choice.column)
        if position.is_over:
            break
        position = position.play(longest_resistance(position))
        if position.is_over:
            break
        choice = bot.choose(position.moves)
    assert position.winner == side
    return position.ply - start


@pytest.mark.slow
@pytest.mark.parametrize("name", newest_first(PROVING))
def test_proofs_are_true_and_searches_end(name: str) -> None:
    """Positions with at most twelve empty cells are solved, and solved right."""
    for position, info, _ in solved(name):
        assert info.proven is not None, position.notation()
        assert RESULTS[info.proven] == true_value(position)[0], position.notation()


@pytest.mark.parametrize("name", newest_first(EXACT))
def test_distances_are_upper_bounds(name: str) -> None:
    """A claimed distance is never too small, and one for a win in one."""
    for position, info, _ in solved(name):
        value, plies = true_value(position)
        if value:
            assert info.distance is not None
            assert info.distance >= plies, position.notation()
            assert info.distance % 2 == (value > 0)
            if (value, plies) == (1, 1):
                assert info.distance == 1


@pytest.mark.parametrize("name", newest_first(EXACT))
def test_a_claimed_win_is_played_out_in_time(name: str) -> None:
    """Against the longest resistance a proven win takes no longer than claimed."""
    left = [found.left for found in solved(name) if found.left is not None]
    assert len(left) > 10
    assert min(left) >= 0


@pytest.mark.slow
@pytest.mark.parametrize("name", newest_first(PROVING))
def test_early_claims_are_true(name: str) -> None:
    """A search that is cut short claims nothing false."""
    for position in small_positions(8, 12):
        for amount in (5, 100):
            bot = player(name, position.board, position.to_move, Budget(simulations=amount))
            info = bot.choose(position.moves).info
            assert info is not None
            if info.proven is not None:
                assert RESULTS[info.proven] == true_value(position)[0], position.notation()


def longest_resistance(position: Position) -> int:
    def rank(column: int) -> tuple[int, int]:
        after = position.play(column)
        if after.winner is not None:
            return (1, 0)
        if after.is_over:
            return (0, 0)
        value, plies = true_value(after)
        return (-value, plies if value > 0 else -plies)

    return max(position.legal_moves(), key=rank)


@pytest.mark.slow
@pytest.mark.parametrize("name", newest_first(SOLVES_SMALL))
def test_the_empty_small_board_is_solved(name: str) -> None:
    """Sharing positions, or solving exactly, proves that 4x4 is a draw from the start."""
    choice = player(name, Board(4, 4), 0, Budget(simulations=1_000_000)).choose(())
    assert choice.info is not None
    assert choice.info.proven == "draw"
