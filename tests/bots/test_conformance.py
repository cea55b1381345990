"""The requirements on every player of the catalogue."""

from itertools import count

import pytest

from bots.catalogue import VERSIONS
from bots.player import TimedPlayer
from bots.protocol import Budget
from bots.uct.settings import SearchSettings
from engine.board import Board, parse_board
from engine.position import Position
from engine.seeds import SplitMix
from tests.bots.support import BOARDS, player, random_position, self_play, work_budget

NAMES = list(VERSIONS)
TIMED = [name for name in NAMES if "time" in VERSIONS[name].budgets]
SIMULATING = [name for name in NAMES if "simulations" in VERSIONS[name].budgets]
TREES = ("uct", "mcts", "uct-rollouts")
SHARES = {
    name: float(
        version.options.get(
            "clock_share", SearchSettings().clock_share if version.family in TREES else 0.95
        )
    )
    for name, version in VERSIONS.items()
}
"""Share of the move time that a player uses."""


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_a_player_makes_only_legal_moves_on_every_board(name: str, board: Board) -> None:
    """A game of a player against itself ends by the rules, whatever the board."""
    self_play(name, board, work_budget(name, 60))


@pytest.mark.parametrize("name", SIMULATING)
def test_another_seed_gives_another_search(name: str) -> None:
    """The seed of the game reaches the search."""
    budget = Budget(simulations=300)
    infos = {
        player(name, parse_board("11x11@5,5"), 0, budget, seed).choose(()).info for seed in range(4)
    }
    assert len(infos) > 1


@pytest.mark.parametrize("name", SIMULATING)
def test_a_player_spends_exactly_the_simulations_asked_for(name: str) -> None:
    """A budget of simulations is spent to the last one where nothing is decided."""
    for amount in (1, 10, 777):
        choice = player(name, parse_board("10x11@3,4"), 0, Budget(simulations=amount)).choose(())
        assert choice.info is not None
        assert choice.info.simulations == amount


@pytest.mark.parametrize("name", TIMED)
def test_a_search_ends_at_its_share_of_the_time(name: str) -> None:
    """On a clock that advances 1 ms per reading, a Monte Carlo search ends at its share.

    A depth-limited search ends there or before.
    """
    bot = player(name, parse_board("11x11@5,5"), 0, Budget(time_ms=400))
    assert isinstance(bot, TimedPlayer)
    readings = count(100.0, 0.001)
    now = [next(readings)]

    def tick() -> float:
        now[0] = next(readings)
        return now[0]

    bot.now = tick
    started = now[0] + 0.001
    bot.choose(())
    spent = 1000 * (now[0] - started)
    assert spent > 0
    assert spent < SHARES[name] * 400 + 2
    assert name not in SIMULATING or spent > SHARES[name] * 400 - 0.5


@pytest.mark.parametrize("name", NAMES)
def test_all_statistics_of_a_move_are_possible(name: str) -> None:
    """Counts, values, depths and expected lines of a move are possible in its position."""
    random = SplitMix(5)
    for board in BOARDS:
        position = random_position(board, random.below(board.cells // 2), random)
        bot = player(name, board, position.to_move, work_budget(name, 150))
        choice = bot.choose(position.moves)
        assert position.can_play(choice.column)
        info = choice.info
        if info is None:
            continue
        assert info.value is None or -1 <= info.value <= 1
        assert info.simulations is None or 0 <= info.simulations <= 150
        assert info.depth is None or 0 <= info.depth <= board.cells - position.ply
        assert info.tree is None or info.tree >= 1
        assert (info.proven is None) or info.value is not None
        assert info.distance is None or 0 < info.distance <= board.cells - position.ply
        if info.pv is not None:
            assert info.pv[0] == choice.column
            line = position
            for column in info.pv:
                if line.winner is not None:
                    # v1 and v2 look beyond the end of a game: that is their weakness.
                    assert name in ("v1", "v2")
                    break
                assert line.can_play(column)
                line = line.play(column)


@pytest.mark.parametrize("name", NAMES)
def test_moves_of_another_game_are_answered(name: str) -> None:
    """Moves that do not extend the last position are answered all the same."""
    board = parse_board("6x7")
    bot = player(name, board, 0, work_budget(name, 100))
    for moves in ((), (3, 3), (0, 1), (3, 3, 2, 2), (3, 3), ()):
        assert Position.from_moves(board, moves).can_play(bot.choose(moves).column)
