"""The alpha-beta players: tactics, search depths and proofs."""

import pytest

from bots.catalogue import VERSIONS
from bots.protocol import Budget
from engine.board import Board, parse_board
from engine.seeds import SplitMix
from tests.bots.puzzles import puzzles
from tests.bots.support import player, random_position, small_positions, true_value

FAMILY = [name for name, version in VERSIONS.items() if version.family == "alphabeta"]
RESULTS = {"win": 1, "draw": 0, "loss": -1}
BUDGETS = (Budget(nodes=1), Budget(nodes=3000), Budget(depth=3), Budget(time_ms=20))


@pytest.mark.slow
@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
@pytest.mark.parametrize("name", FAMILY)
def test_players_take_a_win_in_one_and_block_one(name: str, budget: Budget) -> None:
    """By nodes, even too few for a ply, by depth and time: four in a row is made or prevented."""
    for theme in ("win in one", "block in one"):
        for position, solutions in puzzles(theme, 25):
            bot = player(name, position.board, position.to_move, budget)
            choice = bot.choose(position.moves)
            assert choice.column in solutions, position.notation()
            if theme == "win in one" and budget.amount > 1:
                assert choice.info is not None
                assert (choice.info.proven, choice.info.distance) == ("win", 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILY)
def test_the_sooner_win_is_played(name: str) -> None:
    """A win within the depth is the shortest there is, a loss the longest resistance."""
    seen = set()
    for position in small_positions(20, 12):
        value, plies = true_value(position)
        bot = player(name, position.board, position.to_move, Budget(depth=6))
        choice = bot.choose(position.moves)
        assert choice.info is not None
        if value and plies <= 6:
            assert choice.info.proven == ("win" if value > 0 else "loss")
            assert choice.info.distance == plies
            after = position.play(choice.column)
            if not after.is_over:
                assert true_value(after) == (-value, plies - 1)
            seen.add((value, plies))
        else:
            assert choice.info.proven in (None, "draw")
    assert {(1, 1), (1, 3), (1, 5), (-1, 2), (-1, 4)} <= seen


@pytest.mark.slow
@pytest.mark.parametrize("amount", [30, 300, 3000, 200_000])
@pytest.mark.parametrize("name", FAMILY)
def test_proofs_are_true(name: str, amount: int) -> None:
    """Every proven result, with much or little work, is the true result of the game."""
    claimed = 0
    for position in small_positions(15, 14):
        bot = player(name, position.board, position.to_move, Budget(nodes=amount))
        info = bot.choose(position.moves).info
        assert info is not None
        if info.proven is not None:
            value, plies = true_value(position)
            claimed += 1
            assert RESULTS[info.proven] == value, position.notation()
            assert info.distance is None or info.distance >= plies
    assert claimed > 10


@pytest.mark.parametrize("name", FAMILY)
def test_no_more_nodes_are_searched_than_asked_for(name: str) -> None:
    """A budget of nodes is never exceeded, however small it is."""
    board = parse_board("12x12@0,0")
    random = SplitMix(2)
    for amount in (1, 5, 13, 60, 500, 7000):
        position = random_position(board, 20, random)
        info = player(name, board, 0, Budget(nodes=amount)).choose(position.moves).info
        assert info is not None
        assert info.nodes is not None
        assert info.nodes <= amount


@pytest.mark.parametrize("name", FAMILY)
def test_a_budget_of_depth_is_searched_exactly(name: str) -> None:
    """A budget of depth is one search to exactly that depth, or to the end of the game."""
    for depth in (1, 2, 5, 7):
        info = player(name, Board(6, 7), 0, Budget(depth=depth)).choose(()).info
        assert info is not None
        assert info.depth == depth
    position = random_position(Board(5, 5), 20, SplitMix(1))
    info = player(name, Board(5, 5), 0, Budget(depth=90)).choose(position.moves).info
    assert info is not None
    assert info.depth == 25 - position.ply
    assert info.proven is not None
