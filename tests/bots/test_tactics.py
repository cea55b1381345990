"""Tactics that the versions must find, and games against random play."""

import pytest

from bots.catalogue import VERSIONS
from bots.protocol import Budget
from bots.uct.root import root_threats
from engine.board import parse_board
from engine.position import Position
from tests.bots.puzzles import puzzles, solves
from tests.bots.support import match, player

UCT = [name for name, version in VERSIONS.items() if version.family == "uct"]


def solved(name: str, theme: str, count: int, simulations: int = 0) -> float:
    """Return a player's share of solved puzzles, with ten simulations a column by default."""
    points = 0
    for puzzle in puzzles(theme, count):
        position = puzzle.position
        budget = Budget(simulations=simulations or 10 * position.board.columns)
        bot = player(name, position.board, position.to_move, budget)
        points += solves(puzzle, bot.choose(position.moves))
    return points / count


@pytest.mark.slow
@pytest.mark.parametrize("name", UCT[1:])
def test_versions_take_a_win_in_one(name: str) -> None:
    """With ten simulations a column every version from v2 on wins at once where it can."""
    for position, solutions in puzzles("win in one", 60):
        budget = Budget(simulations=10 * position.board.columns)
        choice = player(name, position.board, position.to_move, budget).choose(position.moves)
        assert choice.column in solutions, position.notation()
        assert choice.info is not None
        assert (choice.info.proven, choice.info.distance) == ("win", 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", UCT[UCT.index("v8") :])
def test_versions_block_a_win_in_one(name: str) -> None:
    """With ten simulations a column every version from v8 on meets the only threat."""
    assert solved(name, "block in one", 60) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", UCT[UCT.index("v4") :])
def test_versions_do_not_play_under_a_threat(name: str) -> None:
    """With ten simulations a column no version from v4 on lets the opponent win directly above."""
    assert solved(name, "cell under a threat", 60) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", UCT[UCT.index("v8") :])
def test_versions_find_double_threats(name: str) -> None:
    """A thousand simulations find nearly all wins by a double threat."""
    assert solved(name, "double threat", 40, 1000) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("name", UCT[UCT.index("v8") :])
def test_versions_find_forced_wins(name: str) -> None:
    """Ten thousand simulations find most wins within five plies."""
    assert solved(name, "win within five", 15, 10_000) >= 0.7


@pytest.mark.parametrize("name", UCT[UCT.index("v3") :])
def test_a_lost_position_is_answered_with_a_block(name: str) -> None:
    """Against two threats at once one of them is blocked."""
    position = Position.from_moves(parse_board("6x7"), (2, 2, 3, 3, 4))
    assert root_threats(position).threats == 1 << 1 | 1 << 5
    bot = player(name, position.board, position.to_move, Budget(simulations=500))
    assert bot.choose(position.moves).column in (1, 5)


@pytest.mark.parametrize("name", [*UCT, "flat-mc"])
def test_players_beat_random_play(name: str) -> None:
    """A Monte Carlo player with a small budget wins nearly all games against random play."""
    boards = [parse_board(text) for text in ("6x7", "9x9@4,4", "10x11@0,3", "7x6", "8x9")]
    assert match(name, "random", boards, Budget(simulations=200)) >= 0.9
