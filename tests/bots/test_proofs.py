"""What versions from v6 on call proven is true, against a solver that looks at everything."""

from functools import lru_cache

import pytest

from bots.catalogue import VERSIONS
from bots.protocol import Budget
from engine.board import Board, parse_board
from engine.position import Position
from engine.seeds import SplitMix
from tests.bots.oracle import true_value
from tests.bots.support import player, random_position

UCT = [name for name, version in VERSIONS.items() if version.family == "uct"]
PROVING = UCT[UCT.index("v6") :]
EXACT = UCT[UCT.index("v12") :]
SOLVES_SMALL = UCT[UCT.index("v14") :]
RESULTS = {"win": 1, "draw": 0, "loss": -1}
SMALL = ("4x4", "4x5", "5x4", "5x5", "4x4@0,1", "4x5@2,2", "5x5@2,2", "5x4@3,0", "5x5@4,4")
EMPTY_CELLS = 12


@lru_cache(maxsize=1)
def positions() -> tuple[Position, ...]:
    """Random positions of small boards with at most twelve empty cells."""
    random = SplitMix(17)
    found = []
    for text in SMALL:
        board = parse_board(text)
        while len(found) % 12 or not found or found[-1].board != board:
            empty = 4 + random.below(EMPTY_CELLS - 3)
            position = random_position(board, board.cells - empty, random)
            if position.ply >= board.cells - EMPTY_CELLS:
                found.append(position)
    return tuple(found)


@pytest.mark.parametrize("name", PROVING)
def test_proofs_are_true_and_searches_end(name: str) -> None:
    """Positions with at most twelve empty cells are solved, and solved right."""
    for position in positions():
        bot = player(name, position.board, position.to_move, Budget(simulations=600_000))
        info = bot.choose(position.moves).info
        assert info is not None
        assert info.proven is not None, position.notation()
        assert RESULTS[info.proven] == true_value(position)[0], position.notation()


@pytest.mark.parametrize("name", PROVING)
def test_early_claims_are_true(name: str) -> None:
    """A search that is cut short claims nothing false."""
    for position in positions():
        for amount in (5, 40, 200):
            bot = player(name, position.board, position.to_move, Budget(simulations=amount))
            info = bot.choose(position.moves).info
            assert info is not None
            if info.proven is not None:
                assert RESULTS[info.proven] == true_value(position)[0], position.notation()


@pytest.mark.parametrize("name", EXACT)
def test_distances_are_upper_bounds(name: str) -> None:
    """A claimed distance is never too small, and one for a win in one."""
    for position in positions():
        bot = player(name, position.board, position.to_move, Budget(simulations=600_000))
        info = bot.choose(position.moves).info
        assert info is not None
        value, plies = true_value(position)
        if value:
            assert info.distance is not None
            assert info.distance >= plies, position.notation()
            assert info.distance % 2 == (value > 0)
            if (value, plies) == (1, 1):
                assert info.distance == 1


@pytest.mark.parametrize("name", EXACT)
def test_a_claimed_win_is_played_out_in_time(name: str) -> None:
    """Against the longest resistance a proven win takes no longer than claimed."""
    played = 0
    for position in positions():
        board = position.board
        bot = player(name, board, position.to_move, Budget(simulations=600_000))
        choice = bot.choose(position.moves)
        if choice.info is None or choice.info.proven != "win":
            continue
        left = choice.info.distance
        assert left is not None
        side = position.to_move
        while not position.is_over:
            position = position.play(bot.choose(position.moves).column)
            left -= 1
            if not position.is_over:
                position = position.play(longest_resistance(position))
                left -= 1
        assert position.winner == side
        assert left >= 0
        played += 1
    assert played > 10


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


@pytest.mark.parametrize("name", SOLVES_SMALL)
def test_the_empty_small_board_is_solved(name: str) -> None:
    """Sharing positions, or solving exactly, proves 4x4 from the start: nobody can win."""
    choice = player(name, Board(4, 4), 0, Budget(simulations=1_000_000)).choose(())
    assert choice.info is not None
    assert choice.info.proven == "draw"
