"""A late bot that was kept from running is distinguished from one that slept."""

import os
import time

import pytest

from bots.protocol import MoveAsk
from ladder.errors import BotTimeout
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.cpu_wait import (
    Stall,
    ThreadReader,
    describe_stall,
    measure_stall,
    snapshot,
    starved_ns,
)
from tests.support.crowd import crowd_to_come
from tests.support.fakes import StartFake, open_game

NOBODY = 2**22 + 1
"""The number of no process."""
BRK = {"aarch64": 214}.get(os.uname().machine, 12)


def late_by(bot: BotProcess, timeout_s: float) -> Stall:
    with pytest.raises(BotTimeout) as late:
        bot.ask(MoveAsk(ply=0, moves=()), timeout_s=timeout_s, watch_runqueue=True)
    assert bot.stall is not None
    assert describe_stall(bot.stall) in str(late.value)
    return bot.stall


@pytest.mark.timed
@pytest.mark.slow
def test_a_busy_bot_on_a_crowded_processor_was_stalled(start_fake: StartFake) -> None:
    """Beside busy processes it waits for most of the time."""
    with crowd_to_come() as crowd:
        bot = start_fake("spins")
        open_game(bot)
        crowd.come()
        stall = late_by(bot, 0.4)
    assert stall.elapsed_us >= 400_000
    assert stall.bot_wait_us > 0.5 * stall.elapsed_us


@pytest.mark.timed
@pytest.mark.slow
def test_a_sleeping_bot_on_a_crowded_processor_was_not_stalled(start_fake: StartFake) -> None:
    """It never wanted to run, so there was no stall."""
    with crowd_to_come() as crowd:
        bot = start_fake("hangs-in-move")
        open_game(bot)
        crowd.come()
        stall = late_by(bot, 0.4)
    assert stall.bot_wait_us < 0.2 * stall.elapsed_us


@pytest.mark.timed
def test_a_bot_asleep_in_the_kernel_by_its_own_doing_was_not_stalled(start_fake: StartFake) -> None:
    """The uninterruptible sleep of a process that waits for a child is not a wait for memory."""
    bot = start_fake("sleeps-in-the-kernel")
    open_game(bot)
    bot.begin_game()
    stall = late_by(bot, 0.4)
    assert stall.bot_wait_us < 0.2 * stall.elapsed_us


class ScriptedThread(ThreadReader):
    """The only thread of a bot, as /proc shows it, under the id of the test's own process.

    A real thread that waits inside the kernel, or that runs between two readings, cannot be made to
    order.
    """

    def __init__(self) -> None:
        self.path = f"/proc/{os.getpid()}/task/{os.getpid()}"
        self.state, self.call, self.gave_up = "S", "0", 7
        self.wchan = "lock_mm_and_find_vma"
        self.cpu_ns = self.wait_ns = 0
        self.processor, self.stolen_ticks = 1, 5
        """Where it is, and what the host has taken from there; nothing happens elsewhere."""
        self.after_accounts = ""
        """The state once the accounts have been read; empty: as before."""
        self.before = snapshot(NOBODY, ended=False, reader=self)

    def list_threads(self, pids: list[int]) -> list[str]:
        """Return the thread, whatever the processes."""
        return [self.path]

    def is_guest(self) -> bool:
        """Return True, so that stolen time is read."""
        return True

    def read(self, path: str) -> bytes:
        """Return the beginning of a file of /proc."""
        name = path.removeprefix(f"{self.path}/")
        if name == "schedstat":
            self.state = self.after_accounts or self.state
            return f"{self.cpu_ns} {self.wait_ns} 9\n".encode()
        if name == "status":
            return f"Name:\tbot\nvoluntary_ctxt_switches:\t{self.gave_up}\nno\t9\n".encode()
        if name == "stat":
            return f"1 (bot) {self.state}{' 0' * 35} {self.processor} 0 0\n".encode()
        if name == "syscall":
            return f"{self.call} 0x0 0x0\n".encode()
        if name == "wchan":
            return self.wchan.encode()
        if path == "/proc/stat":
            taken = f"cpu1 9 9 9 9 9 9 9 {self.stolen_ticks} 0 0\n"
            return f"cpu 9 9 9 9 9 9 9 9 0 0\ncpu0 9 9 9 9 9 9 9 3 0 0\n{taken}intr 9\n".encode()
        return super().read(path)

    def late(self) -> Stall:
        """Return the stall measured 70 ms after a question."""
        before = self.before._replace(taken=time.monotonic() - 0.07)
        return measure_stall(NOBODY, before, 0, self)


def test_a_bot_that_runs_during_the_observation_was_stalled() -> None:
    """It was queued, and the kernel had not counted its wait at the first reading."""
    thread = ScriptedThread()
    thread.state, thread.after_accounts, thread.cpu_ns = "R", "S", 14_000_000
    stall = thread.late()
    assert stall.bot_wait_us == pytest.approx(stall.elapsed_us - 14_000, abs=1)


@pytest.mark.parametrize("call", ["-1", str(BRK)], ids=["page fault", "brk"])
def test_a_bot_that_waits_for_its_memory_was_stalled(call: str) -> None:
    """It wants memory, and the thread that has the lock on it does not run."""
    thread = ScriptedThread()
    thread.state, thread.call, thread.gave_up, thread.cpu_ns = "D", call, 8, 18_000_000
    stall = thread.late()
    assert stall.bot_wait_us == pytest.approx(stall.elapsed_us - 18_000, abs=1)


@pytest.mark.parametrize(
    ("state", "call", "gave_up", "wchan"),
    [
        ("D", "0", 8, "lock_mm_and_find_vma"),
        ("D", "-1", 9, "lock_mm_and_find_vma"),
        ("S", "-1", 8, "lock_mm_and_find_vma"),
        ("D", "-1", 8, "handle_userfault"),
        ("D", "-1", 8, "0"),
    ],
)
def test_a_bot_in_another_sleep_was_not_stalled(
    state: str, call: str, gave_up: int, wchan: str
) -> None:
    """Sleeps in a read, after another sleep, interruptibly or for its own page are its fault."""
    thread = ScriptedThread()
    thread.state, thread.call, thread.gave_up, thread.cpu_ns = state, call, gave_up, 18_000_000
    thread.wchan = wchan
    assert thread.late().bot_wait_us == 0


def test_the_text_shows_how_a_late_bot_spent_its_time() -> None:
    """It computed, waited or slept."""
    stall = Stall(103_400, bot_wait_us=38_000, harness_wait_us=13_000, used_us=65_000, stolen_us=0)
    assert describe_stall(stall._replace(outside_us=29_000)) == (
        "of 103 ms it computed for 65; it or the referee waited for 51, other programs ran for 29"
    )
    assert "waited for 100, " in describe_stall(stall._replace(stolen_us=100_000))
    most = stall._replace(outside_us=10**9, stolen_us=10**9, cpus=frozenset({0, 1}))
    assert "waited for 103, other programs ran for 142" in describe_stall(most)


@pytest.mark.parametrize(("processor", "stolen_us"), [(1, 100_000), (0, 0)])
def test_time_stolen_by_the_host_is_a_stall(processor: int, stolen_us: int) -> None:
    """A host stops the whole processor while the bot's clock may run on: no thread waited."""
    thread = ScriptedThread()
    thread.processor, thread.stolen_ticks = processor, 15
    thread.cpu_ns = 10_000_000_000  # more than has passed, however long this test is kept waiting
    stall = thread.late()
    assert (stall.stolen_us, stall.bot_wait_us, stall.harness_wait_us) == (stolen_us, 0, 0)
    assert stall.used_us == 10_000_000


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [
        "nice",
        "cpu",
        pytest.param("idle", marks=pytest.mark.very_slow),
        pytest.param("group", marks=pytest.mark.very_slow),
    ],
)
def test_a_bot_that_lowered_its_rank_was_not_stalled(start_fake: StartFake, how: str) -> None:
    """It caused its wait itself, so there was no stall."""
    with crowd_to_come() as crowd:
        bot = start_fake("gives-way", how)
        open_game(bot)
        crowd.come()
        if how == "cpu":  # as if it had been given all
            os.sched_setaffinity(0, range(os.cpu_count() or 1))
        stall = late_by(bot, 0.4)
    assert stall.bot_wait_us < 0.2 * stall.elapsed_us


def test_the_wait_is_limited_by_the_processor_time() -> None:
    """A wait counts at most as the time that the bot's processor use leaves, and at least 0."""
    assert starved_ns(longest_wait_ns=60, cpu_ns=40, elapsed_ns=100) == 60
    assert starved_ns(longest_wait_ns=60, cpu_ns=10, elapsed_ns=100) == 60
    assert starved_ns(longest_wait_ns=75, cpu_ns=100, elapsed_ns=100) == 0
    assert starved_ns(longest_wait_ns=75, cpu_ns=180, elapsed_ns=100) == 0
    assert starved_ns(longest_wait_ns=-1, cpu_ns=0, elapsed_ns=100) == 0


@pytest.mark.timed
def test_oversleeping_without_a_wait_is_a_stop() -> None:
    """A harness that neither ran nor waited for a processor was stopped."""
    before = snapshot(NOBODY, ended=True)._replace(taken=time.monotonic() - 10)
    stall = measure_stall(NOBODY, before, 5_000_000)
    assert stall.stopped_us == pytest.approx(5_000_000, abs=100_000)
    assert (stall.bot_wait_us, stall.excusable_us()) == (0, stall.stopped_us)


def calmest(start_fake: StartFake, mode: str) -> Stall:
    """Return the late move with the least use by other programs, of several tries."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    stalls = []
    try:
        for _ in range(8):
            bot = start_fake(mode)
            open_game(bot)
            bot.begin_game()
            stalls.append(late_by(bot, 0.3))
            if stalls[-1].outside_us < 0.1 * stalls[-1].elapsed_us:
                break
    finally:
        os.sched_setaffinity(0, allowed)
    return min(stalls, key=lambda stall: stall.outside_us)


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize(
    "mode",
    [
        "hides-behind-waves",
        pytest.param("hides-behind-helpers", marks=pytest.mark.very_slow),
        pytest.param("hides-behind-steps", marks=pytest.mark.very_slow),
    ],
)
def test_a_bot_delayed_by_its_own_helpers_was_not_stalled(start_fake: StartFake, mode: str) -> None:
    """What its processes use is never another's: orphans, ended ones, and those that the kernel
    keeps no account of, because their end is ignored."""
    stall = calmest(start_fake, mode)
    assert stall.excusable_us() <= stall.outside_us + stall.stolen_us + stall.stopped_us
    # One processor can be used once; the clocks are read some time after the deadline.
    assert stall.outside_us + stall.used_us < 1.25 * stall.elapsed_us + 150_000
    if mode == "hides-behind-waves":
        assert stall.waited_us > 0.5 * stall.elapsed_us


@pytest.mark.timed
@pytest.mark.skipif(os.geteuid() != 0, reason="userfaultfd is for root")
def test_waiting_for_a_page_of_its_own_is_no_wait(start_fake: StartFake) -> None:
    """A bot that sleeps in madvise until it provides the page itself sleeps."""
    bot = start_fake("waits-for-its-own-page")
    open_game(bot)
    bot.begin_game()
    stall = late_by(bot, 0.3)
    assert stall.bot_wait_us < 0.2 * stall.elapsed_us


def test_unwatched_questions_leave_no_stall(start_fake: StartFake) -> None:
    """Without `watch_runqueue` nothing is measured."""
    bot = start_fake("hangs-in-move")
    open_game(bot)
    with pytest.raises(BotTimeout):
        bot.ask(MoveAsk(ply=0, moves=()), timeout_s=0.05)
    assert bot.stall is None
