"""Games under a clock or with an overage: flag falls, increments, excuses, and what bots see."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.budget import Clock
from bots.game_clock import GameClock
from bots.protocol import MARGIN_MS, READY_S, Budget
from db.records import thought_blob
from db.records.launch import Start
from db.records.pairs import Entrant
from engine.board import Board
from engine.result import Result, Termination
from ladder.match.game.asking import COMPILING_S, known_budget, ready_limit_s
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_game, play_pair
from ladder.registry.specs.start_command import builtin_launch, compile_players, make_entrant
from tests.support.fakes import fake_start, pair_plan
from tests.support.unconfined import UNCONFINED

LONG = Budget(clock=Clock(60_000, 1000))
BASE_MS, LATE_MS = 600, 1000
"""Time for a game, and for which a busy machine may delay players that read the clock in it."""


@pytest.fixture
def pool() -> Iterator[BotPool]:
    """Yield a pool of bot processes, and close it afterwards."""
    bots = BotPool(UNCONFINED)
    yield bots
    bots.close()


def test_a_built_in_player_may_compile_before_it_is_ready() -> None:
    """A foreign bot has the time of the protocol."""
    built_in = make_entrant(builtin_launch("v4"), revision=1, name="v4", budget=LONG)
    assert ready_limit_s(built_in) == COMPILING_S
    assert ready_limit_s(entrant(Start(argv=("./bot",), folder="/"), LONG)) == READY_S


def entrant(start: Start, budget: Budget, *, key: int = 1, knows_clock: bool = False) -> Entrant:
    return Entrant(key, "ab"[key - 1], start, budget, knows_clock=knows_clock)


@pytest.mark.slow
def test_a_hanging_bot_loses_when_its_clock_has_run_out(pool: BotPool, tmp_path: Path) -> None:
    """The deadline is the whole clock and the margin, with both colours."""
    bad = entrant(fake_start("hangs-in-move", folder=tmp_path), Budget(clock=Clock(200, 100)))
    good = entrant(fake_start("honest", folder=tmp_path), LONG, key=2)
    games = play_pair(pair_plan(bad, good, opening=(3, 3)), pool).games
    assert [game.termination for game in games] == [Termination.TIMEOUT] * 2
    assert [game.result for game in games] == [Result.LOSS, Result.WIN]
    assert "all that was left of its time for the game" in games[0].detail
    assert games[0].sides[0].time_us == 1000 * (200 + MARGIN_MS)


@pytest.mark.slow
@pytest.mark.timed
def test_a_slow_bot_loses_by_the_sum_of_its_moves(pool: BotPool, tmp_path: Path) -> None:
    """No move alone is late, but the time of the game does not last."""
    slow = entrant(fake_start("late", "0.4", folder=tmp_path), Budget(time_ms=100, overage_ms=700))
    good = entrant(fake_start("honest", folder=tmp_path), LONG, key=2)
    game = play_game(pair_plan(slow, good, opening=(3, 3)), pool, swapped=False)
    assert game.termination is Termination.TIMEOUT
    assert game.sides[0].moves >= 2


def test_questions_carry_both_clocks(pool: BotPool, tmp_path: Path) -> None:
    """Each question has what the sums of the moves leave, increments included."""
    start = fake_start("reads-clock", folder=tmp_path)
    a = entrant(start, Budget(clock=Clock(20_000, 500)), knows_clock=True)
    b = entrant(start, LONG, key=2, knows_clock=True)
    game = play_game(pair_plan(a, b, opening=(3, 3)), pool, swapped=False)
    assert not game.termination.is_forfeit
    clocks = [GameClock(0, 20_000_000, 500_000), GameClock(0, 60_000_000, 1_000_000)]
    for ply, thought in enumerate(thought_blob.decode(game.thoughts), 2):
        mine, theirs = clocks[ply % 2], clocks[1 - ply % 2]
        assert thought.simulations == mine.left_us // 1000
        assert thought.nodes == theirs.left_us // 1000
        assert thought.depth == mine.share_ms((42 - ply + 1) // 2)
        mine.spend(thought.time_us)


def test_a_bot_without_a_clock_is_given_a_time_per_move(tmp_path: Path) -> None:
    """It is the share that lasts for the longest game on the board."""
    start = fake_start("honest", folder=tmp_path)
    budget = Budget(clock=Clock(10_000, 100))
    assert known_budget(entrant(start, budget), Board(6, 7)) == Budget(time_ms=514)
    assert known_budget(entrant(start, budget, knows_clock=True), Board(6, 7)) == budget


@pytest.mark.timed
@pytest.mark.slow
def test_built_in_players_keep_to_their_clocks(pool: BotPool) -> None:
    """Their moves take no longer together than the time for the game.

    The margin is long, as the referee of a busy machine is late itself; `LATE_MS` covers that.
    """
    budget = Budget(clock=Clock(BASE_MS, 20))
    players = [
        make_entrant(builtin_launch(name), revision=key, name=name, budget=budget)
        for key, name in enumerate(("v22", "v4"), 1)
    ]
    compile_players(players)
    pair = pair_plan(*players, opening=(3, 3), margin_ms=60_000)
    game = play_game(pair, pool, swapped=False)
    assert game.detail == ""
    for side in game.sides:
        assert side.simulations > 0
        assert side.time_us < 1000 * (BASE_MS + 20 * side.moves + LATE_MS)
