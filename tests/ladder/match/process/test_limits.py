"""CPU time, measured at each move; memory, limited for all processes."""

import time

import pytest

from bots.protocol import MoveAsk
from db.records.launch import Limits
from ladder.errors import BotFailure
from tests.support.fakes import StartFake, first_move, open_game


@pytest.mark.timed
@pytest.mark.slow
def test_the_cpu_time_of_a_move_is_measured(start_fake: StartFake) -> None:
    """A bot that thinks uses it, one that sleeps does not, and before a game it is 0."""
    thinker = start_fake("thinks", "0.05")
    open_game(thinker)
    first_move(thinker)
    assert thinker.tree.turn_us == 0
    thinker.begin_game()
    answer = first_move(thinker)
    assert 50_000 <= thinker.tree.turn_us <= answer.elapsed_us + 10_000
    sleeper = start_fake("late", "0.05")
    open_game(sleeper)
    sleeper.begin_game()
    answer = first_move(sleeper)
    assert answer.elapsed_us >= 50_000
    assert sleeper.tree.turn_us < 25_000


@pytest.mark.slow
def test_descendants_count_in_the_cpu_time_of_a_move(start_fake: StartFake) -> None:
    """A bot that is the child of a waiting program is measured as well."""
    bot = start_fake("thinks", "0.05", sandbox=("sh", "-c", '"$@"; exit $?', "sh"))
    open_game(bot)
    bot.begin_game()
    first_move(bot)
    assert bot.tree.turn_us >= 50_000


def test_a_measured_process_that_ends_is_forgotten(start_fake: StartFake) -> None:
    """A child that ends in the middle of a game does not disturb the questions."""
    bot = start_fake("short-lived-child")
    open_game(bot)
    bot.begin_game()
    for ply in (0, 2, 4):
        bot.ask(MoveAsk(ply=ply, moves=(0,) * ply), timeout_s=10)
        time.sleep(0.2)
    assert bot.alive


def test_a_small_memory_limit_is_named(start_fake: StartFake) -> None:
    """A bot that answers in time is ended nevertheless, and the next question reports why."""
    bot = start_fake("leaks", "60,1", limits=Limits(memory_mb=40))
    with pytest.raises(BotFailure, match=r"over its memory limit: \d+ MiB .* 40 MiB allowed"):  # noqa: PT012
        open_game(bot)
        for ply in range(0, 40, 2):
            bot.ask(MoveAsk(ply=ply, moves=()), timeout_s=10)
            time.sleep(0.05)
