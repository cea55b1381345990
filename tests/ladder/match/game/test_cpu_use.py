"""A bot has one processor, on its turn only: what it takes beyond is seen and stopped."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from bots.protocol import Budget, MoveAsk
from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan
from engine.result import Termination
from ladder.errors import BotOverCpu
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.cpu_use import FREE_US, CpuUse
from ladder.match.game.referee import play_pair
from ladder.match.process.bot_process import Answer, BotProcess
from ladder.match.process.process_tree import BotHistory, ProcessTree
from tests.support.fakes import NEW_GAME, fake_start
from tests.support.unconfined import UNCONFINED


class WideBot(BotProcess):
    """A bot that seems to use 5 s more processor time for each move than it takes."""

    def ask(self, *words: Any, **more: Any) -> Answer:
        answer = super().ask(*words, **more)
        self.tree.turn_us += 20 * FREE_US
        return answer


@pytest.fixture
def pool(request: pytest.FixtureRequest) -> Iterator[BotPool]:
    """Yield a pool of bot processes of the class in the parameter, and close it afterwards."""
    bots = BotPool(UNCONFINED, start_process=getattr(request, "param", BotProcess).start)
    yield bots
    bots.close()


def plan(a: Start, b: Start, *, budget: Budget | None = None) -> PairPlan:
    budget = Budget(time_ms=1000) if budget is None else budget
    return PairPlan(
        id=1,
        number=0,
        a=Entrant(1, "a", a, budget),
        b=Entrant(2, "b", b, budget),
        board="6x7",
        board_class="6x7",
        opening=(),
        seed=7,
        margin_ms=20_000,
    )


def used(turn_us: int) -> ProcessTree:
    tree = ProcessTree(1, BotHistory(), foreign=True)
    tree.turn_us = turn_us
    return tree


def test_the_allowance_grows_with_the_time_of_the_game() -> None:
    """The sum of a game counts, and a tenth of the bot's time is allowed beside 250 ms."""
    use = CpuUse()
    assert not use.add(used(50_000), 100_000)
    assert not use.add(used(FREE_US), 0)
    assert use.add(used(200_000), 100_000)
    assert use.beyond_us == FREE_US + 100_000
    use.check_turns(1_000_000)
    with pytest.raises(BotOverCpu, match=r"1349 ms .* in moves that took 999 ms: it left the one"):
        use.check_turns(999_000)


@pytest.mark.timed
@pytest.mark.slow
def test_a_bot_that_ponders_is_stopped_and_not_charged(pool: BotPool, tmp_path: Path) -> None:
    """Its helpers run during one move of its opponent, and are stopped from then on."""
    thief = fake_start("steals", "2", folder=tmp_path)
    victim = fake_start("late", "0.1", folder=tmp_path)
    record = play_pair(plan(victim, thief), pool)
    assert pool.history_of(thief).ponders
    assert not any(game.termination.is_forfeit for game in record.games)
    holder = pool.acquire(thief)
    assert holder.has_played
    assert holder.tree.off_turn_us <= 1000
    holder.kill()


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize("pool", [WideBot], indirect=True)
def test_more_than_one_processor_on_its_turn_is_charged(pool: BotPool, tmp_path: Path) -> None:
    """On a worker with one CPU a bot that uses more time than passes has left that CPU."""
    pair = plan(fake_start("honest", folder=tmp_path), fake_start("late", "0.01", folder=tmp_path))
    pool.has_one_cpu = True
    assert play_pair(pair, pool).games[0].termination is Termination.TIMEOUT
    pool.has_one_cpu = False
    assert not play_pair(pair, pool).games[0].termination.is_forfeit


@pytest.mark.slow
def test_idle_bots_are_stopped_while_others_play(pool: BotPool, tmp_path: Path) -> None:
    """An idle process does not run on the CPU of another bot's game."""
    start = fake_start("ponders", folder=tmp_path)
    process = pool.acquire(start)
    process.ask(NEW_GAME, timeout_s=30)
    pool.release(start, process, renew=False)
    honest = fake_start("honest", folder=tmp_path)
    play_pair(plan(honest, honest), pool)
    tree = psutil.Process(process.supervisor_pid).children(recursive=True)
    assert len(tree) == 2
    deadline = time.monotonic() + 30
    while {each.status() for each in tree} != {psutil.STATUS_STOPPED}:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    again = pool.acquire(start)
    assert again is process
    again.ask(NEW_GAME, timeout_s=30)
    again.begin_game()
    again.ask(MoveAsk(ply=0, moves=()), timeout_s=30)
    again.kill()
