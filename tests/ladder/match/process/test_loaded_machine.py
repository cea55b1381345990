"""On a machine that is really too busy honest bots are not charged, and slow ones are."""

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from bots.budget import Clock
from bots.protocol import Budget, MoveAsk
from db.records.launch import Start
from db.records.pairs import PairPlan
from engine.result import Termination
from ladder.errors import BotTimeout, MachineStalled
from ladder.match.game.asking import SideClock
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from tests.support.crowd import crowd_to_come
from tests.support.fakes import NEW_GAME, StartFake, fake_start, open_game, pair_plan
from tests.support.unconfined import UNCONFINED

BUDGET_S, MARGIN_S = 0.02, 0.05


@pytest.fixture
def pool() -> Iterator[BotPool]:
    """Yield a pool of bot processes, and close it afterwards."""
    bots = BotPool(UNCONFINED)
    yield bots
    bots.close()


def plan(a: Start, b: Start, opening: tuple[int, ...] = ()) -> PairPlan:
    budget = Budget(time_ms=int(1000 * BUDGET_S))
    return pair_plan(a, b, budget, "4x4", opening=opening, margin_ms=int(1000 * MARGIN_S))


def keep_two(pool: BotPool, a: Start, b: Start) -> None:
    """Start both bots, which would take long in a crowd."""
    for start, process in [(start, pool.acquire(start)) for start in (a, b)]:
        pool.release(start, process, renew=False)


@pytest.mark.timed
@pytest.mark.slow
def test_a_bot_that_looks_at_the_clock_is_excused_in_a_crowd(pool: BotPool, tmp_path: Path) -> None:
    """Beside forty busy processes its answers are late and count."""
    honest = fake_start("works", "15", folder=tmp_path)
    last_moves = plan(honest, honest, opening=(0, 0, 0, 0, 1, 1, 1, 1, 2, 2))
    with crowd_to_come() as crowd:
        keep_two(pool, honest, honest)
        crowd.come(40)
        record = play_pair(last_moves, pool)
    assert record.stalls >= 1
    assert not any(game.termination.is_forfeit for game in record.games)


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize("mode", [("late", "1"), ("thinks", "0.2")])
def test_a_slow_bot_is_charged_in_a_crowd(
    mode: tuple[str, str], pool: BotPool, tmp_path: Path
) -> None:
    """One that sleeps never waited; one that computes for too long does so by itself."""
    slow, other = fake_start(*mode, folder=tmp_path), fake_start("honest", folder=tmp_path)
    with crowd_to_come() as crowd:
        keep_two(pool, slow, other)
        crowd.come(3)
        record = play_pair(plan(slow, other), pool)
    assert [game.termination for game in record.games] == [Termination.TIMEOUT] * 2
    assert [game.result.value for game in record.games] == ["loss", "win"]
    assert "within 70 ms; its own time is " in record.games[0].detail


@pytest.mark.timed
@pytest.mark.slow
def test_a_stop_of_the_harness_is_not_charged_to_a_clock(start_fake: StartFake) -> None:
    """A bot that answers meanwhile, and in time, does not lose the time of the stop."""
    bot = start_fake("late", "0.5")
    open_game(bot)
    stop = "sleep 0.2; kill -STOP $PPID; sleep 1; kill -CONT $PPID"
    with subprocess.Popen(["sh", "-c", stop]):
        answer = bot.ask_move(MoveAsk(ply=0, moves=()), 10, is_charged=True)
    assert answer.own_us < 900_000
    assert not answer.is_excused


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "is_timed"),
    [
        ("thinks", True),
        ("thinks-in-children", True),
        ("thinks-in-threads", True),
        ("thinks-in-children", False),
    ],
)
def test_a_bot_is_charged_its_own_time_in_a_crowd(
    mode: str, is_timed: bool, start_fake: StartFake
) -> None:
    """Under a time budget and a watchdog, alone, in a child and in threads."""
    limit_s, works_s = (0.15, 0.12) if is_timed else (0.6, 0.25)  # not measured for 0.25 s
    answer = None
    while answer is None:  # if other programs stall the question, too, it is asked again
        with crowd_to_come() as crowd, suppress(MachineStalled):
            bot = start_fake(mode, str(works_s))
            open_game(bot)
            crowd.come(3)
            answer = bot.ask_move(MoveAsk(ply=0, moves=()), limit_s, is_charged=is_timed)
    assert answer.is_excused
    assert answer.own_us <= limit_s * 1e6


@pytest.mark.timed
@pytest.mark.slow
def test_a_clock_pays_no_waits_in_a_crowd(start_fake: StartFake) -> None:
    """A bank of 3 s loses the own time of a move that is in time, too."""
    clock = SideClock(Budget(clock=Clock(3000, 0)), cells=42)
    with crowd_to_come() as crowd:
        bot = start_fake("thinks", "0.06")
        open_game(bot)
        crowd.come(6)
        for _ in range(2):
            clock.ask(bot, (), None)
    assert clock.bank_us is not None
    assert clock.bank_us >= 3_000_000 - 2 * 80_000


@pytest.mark.timed
@pytest.mark.slow
def test_a_starved_bot_is_not_charged(start_fake: StartFake) -> None:
    """Where no answer comes within twenty times its limit, the pair must be played again."""
    with crowd_to_come() as crowd:
        bot = start_fake("thinks", "0.04")
        open_game(bot)
        crowd.come(60)
        with pytest.raises(MachineStalled, match="waits for a processor explain"):
            bot.ask_move(MoveAsk(ply=0, moves=()), 0.05, is_charged=True)
    assert not bot.alive


@pytest.mark.timed
@pytest.mark.slow
def test_a_bot_that_loads_in_a_crowd_is_not_charged(start_fake: StartFake) -> None:
    """What keeps it from `ready` in time is the machine, so the pair must be played again."""
    with crowd_to_come() as crowd:
        bot = start_fake("loads", "0.04")
        bot.hello(10)
        crowd.come(60)
        with pytest.raises(MachineStalled, match="waits for a processor explain"):
            bot.new_game(NEW_GAME, 0.05)
    assert not bot.alive


@pytest.mark.timed
@pytest.mark.slow
def test_a_bot_that_loads_slowly_in_a_crowd_gets_the_time(start_fake: StartFake) -> None:
    """What the machine explains does not count against its limit."""
    with crowd_to_come() as crowd:
        bot = start_fake("loads", "0.08")
        bot.hello(10)
        crowd.come(7)
        bot.new_game(NEW_GAME, 0.5)


@pytest.mark.timed
@pytest.mark.slow
def test_a_bot_that_loads_for_ever_is_charged(start_fake: StartFake) -> None:
    """It uses up its own time; in several processes it gets that on a busy machine, too."""
    bot = start_fake("loads", "99,10")
    bot.hello(10)
    with pytest.raises(BotTimeout, match=r"within 300 ms; its own time is 3\d\d ms"):
        bot.new_game(NEW_GAME, 0.3)
