"""The processor time of all processes of a bot, on its turn and off it, and a stop that holds."""

import contextlib
import time

import psutil
import pytest

from bots.protocol import MoveAsk, MoveReply
from ladder.match.process.bot_process import BotProcess
from tests.support.fakes import NEW_GAME, StartFake, first_move, open_game
from tests.support.waiting import eventually


def playing(start_fake: StartFake, *words: str, wrapper: tuple[str, ...] = ()) -> BotProcess:
    """Return a fake bot in its first game that was asked once."""
    bot = start_fake(*words, sandbox=wrapper)
    open_game(bot)
    ask(bot, 0)
    return bot


def ask(bot: BotProcess, ply: int) -> None:
    assert isinstance(bot.ask_move(MoveAsk(ply=ply, moves=(0,) * ply), 30).reply, MoveReply)


def states(bot: BotProcess) -> set[str]:
    """Return the states of all processes of a bot."""
    found = set()
    for process in psutil.Process(bot.supervisor.popen.pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            found.add(process.status())
    return found - {psutil.STATUS_ZOMBIE}


@pytest.mark.timed
@pytest.mark.parametrize("wrapper", [(), ("timeout", "600")])
def test_a_bot_that_waits_is_not_stopped(start_fake: StartFake, wrapper: tuple[str, ...]) -> None:
    """Reading the next question does not count as pondering, nor does a program around the bot."""
    bot = playing(start_fake, "honest", wrapper=wrapper)
    for ply in range(2, 12, 2):
        ask(bot, ply)
        assert bot.tree.off_turn_us <= 1000
    assert not bot.tree.history.ponders
    assert bot.tree.history.has_children is bool(wrapper)
    assert psutil.STATUS_STOPPED not in states(bot)


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "wrapper"),
    [
        ("steals 2", ()),
        ("steals-in-steps", ()),
        ("has-threads 40", ()),
        ("has-threads 40", ("sh", "-c", '"$0" "$@"; exit $?')),
        ("steals 1", ("setsid", "--wait")),
    ],
)
def test_processes_that_run_off_their_turn_are_stopped(
    start_fake: StartFake, mode: str, wrapper: tuple[str, ...]
) -> None:
    """Orphans in other sessions, short-lived children and threads are stopped, also behind
    programs that start the bot."""
    bot = playing(start_fake, *mode.split(), wrapper=wrapper)
    ply = 0

    def is_seen() -> bool:
        nonlocal ply
        time.sleep(0.05)
        ply += 2
        ask(bot, ply)
        return bot.tree.history.ponders

    eventually(is_seen)
    assert bot.tree.history.has_children is not (mode.startswith("has-threads") and not wrapper)
    assert bot.tree.off_turn_us > 1000

    def stands_still() -> bool:
        nonlocal ply
        eventually(lambda: states(bot) == {psutil.STATUS_STOPPED})
        time.sleep(0.05)
        ply += 2
        ask(bot, ply)
        return bot.tree.off_turn_us <= 1000

    # Ended processes count in ticks of 10 ms, so time off turn may include time of the turn. And a
    # thread on another processor stops at the next tick of the kernel's clock.
    still = 0
    for _ in range(12):
        still += stands_still()
        if still == 3:
            break
    assert still == 3


def test_a_stopped_bot_plays_its_next_game_and_quits(start_fake: StartFake) -> None:
    """It runs again for every question, and for the request to quit."""
    bot = playing(start_fake, "steals", "1")
    bot.pause()
    bot.new_game(NEW_GAME, 30)
    ask(bot, 0)
    bot.pause()
    assert bot.quit(30)


@pytest.mark.slow
def test_a_new_process_inherits_the_history(start_fake: StartFake) -> None:
    """After one process has pondered, the next one is stopped from its first answer on."""
    bot = playing(start_fake, "steals", "1")
    time.sleep(0.2)
    ask(bot, 2)
    history = bot.tree.history
    assert history.ponders
    bot.kill()
    bot = start_fake("steals", "1", history=history)
    open_game(bot)
    eventually(lambda: states(bot) == {psutil.STATUS_STOPPED})
    ask(bot, 0)
    eventually(lambda: states(bot) == {psutil.STATUS_STOPPED})


@pytest.mark.timed
@pytest.mark.slow
def test_the_cpu_time_of_a_move_is_measured(start_fake: StartFake) -> None:
    """A bot that thinks uses it, one that sleeps does not."""
    thinker = start_fake("thinks", "0.05")
    open_game(thinker)
    first_move(thinker)
    answer = first_move(thinker)
    assert 50_000 <= thinker.tree.turn_us <= answer.own_us + 10_000
    sleeper = start_fake("late", "0.05")
    open_game(sleeper)
    answer = first_move(sleeper)
    assert answer.own_us >= 50_000
    assert sleeper.tree.turn_us < 25_000


@pytest.mark.slow
def test_the_turn_counts_all_processes(start_fake: StartFake) -> None:
    """The time of children that end before the answer counts."""
    bot = playing(start_fake, "thinks-in-children", "0.1")

    def is_noticed() -> bool:
        ask(bot, 2)
        return bot.tree.history.has_children

    eventually(is_noticed)
    ask(bot, 4)
    assert bot.tree.turn_us >= 90_000  # ended processes count in ticks of 10 ms
