"""Own time, on counters that a simulated kernel records."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ladder.match.process.counters import NS_PER_TICK, Counters, ThreadTimes, mean_stolen_ns
from ladder.match.process.lateness import Delay, DelayRecord, DelayWatch
from ladder.match.process.process_tree import BotHistory, ProcessTree

LIMIT_US = 150_000
LOOK_US = 4000
TICK_US = 10_000
"""Step of the counter of stolen time."""


class During(Enum):
    """What happens during a part of a move."""

    RUNS = auto()
    SLEEPS = auto()
    WAITS = auto()
    """The bot waits for a processor that other programs use."""
    CHILD = auto()
    """It waits for a processor that its own child uses."""
    IN_CHILD = auto()
    """It sleeps while its child waits for a processor that other programs use."""


BY_ITSELF = {During.RUNS, During.SLEEPS, During.CHILD}


@dataclass(frozen=True)
class Part:
    """A part of a move."""

    during: During
    us: int


Move = list[Part]


def parts(*kinds: During, longest_us: int = 120_000) -> st.SearchStrategy[Move]:
    step = st.builds(Part, st.sampled_from(kinds), st.integers(1, longest_us))
    return st.lists(step, min_size=1, max_size=8)


def total(move: Move, *kinds: During, until_us: int = 10**9) -> int:
    """Return the time of some kinds of parts up to a moment."""
    found = at_us = 0
    for part in move:
        if part.during in kinds:
            found += max(0, min(part.us, until_us - at_us))
        at_us += part.us
    return found


def thread(move: Move, at_us: int, runs: set[During], waits: set[During]) -> ThreadTimes:
    """Return what the kernel counts of a thread: a wait only once it has ended."""
    wait_us = 0
    is_runnable, since_us, now_us = False, None, 0
    for part in move:
        if now_us >= at_us:
            break
        if part.during in waits:
            since_us = now_us if since_us is None else since_us
        else:
            wait_us += 0 if since_us is None else now_us - since_us
            since_us = None
        is_runnable = part.during in waits | runs
        now_us += part.us
    if now_us <= at_us and since_us is not None:
        wait_us += now_us - since_us
    ran_us = total(move, *runs, until_us=at_us)
    return ThreadTimes(1000 * ran_us, 1000 * wait_us, is_runnable and now_us > at_us)


def reading(move: Move, at_us: int, *, counts: bool = True, stolen_us: int = 0) -> Counters:
    """Return the counters of a bot with one child at a moment of a move."""
    bot = thread(move, at_us, {During.RUNS}, {During.WAITS, During.CHILD})
    child = thread(move, at_us, {During.CHILD}, {During.IN_CHILD})
    start = ThreadTimes(7_000_000_000, 3_000_000_000)
    threads = {
        name: ThreadTimes(start.cpu_ns + each.cpu_ns, start.wait_ns + each.wait_ns, each[2])
        for name, each in (("bot", bot), ("child", child))
    }
    cpu_ns = 2 * start.cpu_ns + bot.cpu_ns + child.cpu_ns
    return Counters(cpu_ns, threads, 0 if counts else None, 1000 * stolen_us)


def look_times(length_us: int) -> Iterator[int]:
    """Yield when the harness finds no answer: at the limit, and then again and again."""
    yield from range(LIMIT_US, length_us, LOOK_US)


def record(move: Move, *, counts: bool = True) -> list[Delay]:
    """Return what is known at each look and at the answer."""
    length_us = sum(part.us for part in move)
    delays = DelayRecord(reading(move, 0, counts=counts))
    found = [
        delays.add(reading(move, at_us, counts=counts), at_us, overslept_us=0)
        for at_us in look_times(length_us)
    ]
    now = reading(move, length_us, counts=counts)
    return [*found, delays.add(now, length_us, overslept_us=0, is_answered=True)]


@given(parts(During.RUNS, During.SLEEPS, During.WAITS))
def test_own_time_is_all_but_waits(move: Move) -> None:
    """It is exact when the answer comes, and never more than that before."""
    own_us = total(move, *BY_ITSELF)
    *looks, end = record(move)
    assert end.own_us == own_us
    for at_us, delay in zip(look_times(end.elapsed_us), looks, strict=True):
        assert delay.own_us <= total(move, *BY_ITSELF, until_us=at_us)


@given(parts(During.RUNS, During.SLEEPS, During.WAITS, During.CHILD, During.IN_CHILD))
def test_what_a_bot_and_its_child_use_is_never_excused(move: Move) -> None:
    """Their waits for each other are the bot's own, and it is never charged more than elapsed."""
    assert total(move, During.RUNS, During.CHILD) <= record(move)[-1].own_us
    assert all(0 <= delay.explained_us <= delay.elapsed_us for delay in record(move))


@given(parts(During.RUNS, During.WAITS, During.IN_CHILD, longest_us=30_000))
def test_waits_of_different_threads_add_up_once_an_answer_is_late(move: Move) -> None:
    """The longest wait of one thread would miss those of the others; up to one look is lost."""
    late = [Part(During.SLEEPS, LIMIT_US), *move]
    turns = sum(one.during != other.during for one, other in pairwise(late))
    own_us = total(late, *BY_ITSELF)
    assert own_us <= record(late)[-1].own_us <= own_us + turns * LOOK_US


def test_the_wait_of_a_child_that_ends_is_lost_only_at_its_beginning() -> None:
    """The kernel's count of it ends with it, but it was seen to wait."""
    wait_us = 10 * LOOK_US
    move = [Part(During.SLEEPS, LIMIT_US - 1), Part(During.IN_CHILD, wait_us)]
    delays = DelayRecord(reading(move, 0))
    for at_us in look_times(LIMIT_US + wait_us - 1):
        delays.add(reading(move, at_us), at_us, overslept_us=0)
    end_us = LIMIT_US - 1 + wait_us
    now = reading([*move, Part(During.CHILD, 0)], end_us)
    ended = now._replace(threads={"bot": now.threads["bot"]})
    delay = delays.add(ended, end_us, overslept_us=0, is_answered=True)
    assert wait_us - 2 * LOOK_US <= delay.explained_us <= wait_us


@given(parts(*During))
def test_a_kernel_that_counts_no_waits_explains_nothing(move: Move) -> None:
    assert all(delay.explained_us == 0 for delay in record(move, counts=False))


@given(st.integers(0, 500_000), st.booleans())
def test_time_that_the_host_takes_is_excused(stolen_us: int, is_used: bool) -> None:
    """Whether or not the bot's clock runs on meanwhile, in ticks of 10 ms."""
    move = [Part(During.RUNS, LIMIT_US), Part((During.SLEEPS, During.RUNS)[is_used], stolen_us)]
    length_us = LIMIT_US + stolen_us
    delays = DelayRecord(reading(move, 0))
    ticks_us = stolen_us - stolen_us % TICK_US
    now = reading(move, length_us, stolen_us=ticks_us)
    assert delays.add(now, length_us, overslept_us=0).own_us == length_us - ticks_us


@given(st.integers(1, 900_000), st.booleans())
def test_a_delay_by_the_harness_counts_once_it_hides_an_answer(us: int, is_answered: bool) -> None:
    """A wait for its processor before it finds no answer delays nothing."""
    move = [Part(During.SLEEPS, LIMIT_US + us)]
    delays = DelayRecord(reading(move, 0))
    now = reading(move, LIMIT_US + us)._replace(harness_wait_ns=1000 * us)
    delay = delays.add(now, LIMIT_US + us, overslept_us=us, is_answered=is_answered)
    assert delay.own_us == (LIMIT_US if is_answered else LIMIT_US + us)


@given(st.integers(1, 900_000))
def test_a_stop_of_the_harness_is_excused(us: int) -> None:
    """Whether or not there is an answer, for the machine may have been stopped."""
    move = [Part(During.SLEEPS, LIMIT_US + us)]
    delays = DelayRecord(reading(move, 0))
    assert delays.add(reading(move, LIMIT_US + us), LIMIT_US + us, overslept_us=us).own_us == (
        LIMIT_US
    )


def test_a_stop_while_the_counters_are_read_is_excused() -> None:
    """A process that sleeps meanwhile neither runs nor waits, as one that is stopped.

    What it computes for the reading is not excused: more threads of a bot would win it more time.
    """

    class Stopped(ProcessTree):
        def threads(self) -> dict[int, list[str]]:
            time.sleep(0.05)
            return super().threads()

    def measure() -> Delay:
        watch = DelayWatch(Stopped(os.getpid(), BotHistory(), foreign=False))
        watch.begin()
        return watch.measure(20_000, 0)

    # A wait of this process between the two readings is taken off the stop: not in each attempt.
    delay = next(each for each in (measure() for _ in range(20)) if each.explained_us >= 50_000)
    assert delay.own_us >= 20_000


def test_four_threads_on_several_processors_are_charged_what_one_would_show() -> None:
    """Four threads that compute for 400 ms together in 100 ms of wall time are not late."""
    start = Counters(0, {str(each): ThreadTimes(0, 0) for each in range(4)}, 0, 0)
    times = {str(each): ThreadTimes(100_000_000, 20_000_000) for each in range(4)}
    now = Counters(400_000_000, times, 0, 0)
    assert DelayRecord(start).add(now, 100_000, overslept_us=0).own_us == 100_000


def test_stolen_time_is_read_of_every_processor(tmp_path: Path) -> None:
    """The lines of 512 processors are longer than one reading."""
    lines = ["cpu  " + " 7" * 10, *(f"cpu{cpu}" + f" {10**7} " * 7 + "5 0 0" for cpu in range(512))]
    (tmp_path / "stat").write_text("\n".join([*lines, "intr 1"]))
    assert mean_stolen_ns(str(tmp_path / "stat"), range(512)) == 5 * NS_PER_TICK
    assert mean_stolen_ns(str(tmp_path / "stat"), {511}) == 5 * NS_PER_TICK


def test_the_text_shows_own_time_and_what_explains_the_rest() -> None:
    assert str(Delay(103_400, 29_000)) == (
        "its own time is 74 ms, and waits for a processor explain 29 ms"
    )
    assert str(Delay(151_000, 0)) == "its own time is 151 ms"
