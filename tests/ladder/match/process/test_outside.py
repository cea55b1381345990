"""The processor time of other programs is distinguished from that of a bot's processes."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import psutil
import pytest

from ladder.match.process.outside import CpuTimes, OutsideClocks, outside_us
from tests.support.fakes import StartFake, open_game

NOBODY = 2**22 + 1
"""The number of no process."""
BUSY = [sys.executable, "-I", "-S", "-c", "print(flush=True)\nwhile 1: pass"]


@pytest.fixture
def cpu() -> Iterator[int]:
    """Pin this test and its children to one processor, and return it."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    yield min(allowed)
    os.sched_setaffinity(0, allowed)


def own_use_us(pid: int) -> int:
    with open(f"/proc/{pid}/schedstat") as file:
        return int(file.read().split()[0]) // 1000


@pytest.mark.timed
def test_other_programs_count_on_their_processor(cpu: int) -> None:
    """A program that starts after the first reading counts; one on another processor does not."""
    before = OutsideClocks().read()
    with subprocess.Popen(BUSY, stdout=subprocess.PIPE) as hog:
        assert hog.stdout is not None
        hog.stdout.readline()
        time.sleep(0.2)
        used_us = own_use_us(hog.pid)
        assert outside_us(before, NOBODY, frozenset({cpu})) >= used_us > 0
        elsewhere = outside_us(before, NOBODY, frozenset({cpu + 1000}))
        hog.kill()
    assert elsewhere == 0


@pytest.mark.slow
def test_the_past_of_an_ended_program_does_not_count(cpu: int) -> None:
    """Its parent reaps what it and its ended children have used, also before the first reading."""
    work = f"{sys.executable} -I -S -c 'for i in range(10_000_000): pass'"
    family = ["sh", "-c", f'sh -c "{work}; read line; exit 0"; read line; exit 0']
    with subprocess.Popen(family, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as top:
        assert top.stdin is not None
        while not (below := psutil.Process(top.pid).children()):
            time.sleep(0.01)
        middle = below[0]
        while middle.cpu_times().children_user == 0:
            time.sleep(0.01)
        spent_us = middle.cpu_times().children_user * 1e6
        clocks = OutsideClocks().read()
        top.stdin.write(b"\n")
        top.stdin.flush()
        while psutil.Process(top.pid).cpu_times().children_user == 0:
            time.sleep(0.01)
        assert clocks[middle.pid].children_ns > 0
        own = outside_us({**clocks, middle.pid: CpuTimes(0, 0, top.pid)}, NOBODY, frozenset({cpu}))
        counted = outside_us(clocks, NOBODY, frozenset({cpu}))
        top.stdin.close()
    assert own - counted > spent_us / 2


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize("mode", ["hides-behind-helpers", "hides-behind-waves", "hops"])
def test_a_bots_own_processes_never_count(cpu: int, start_fake: StartFake, mode: str) -> None:
    """Children, orphans in other sessions and processes that start meanwhile do not count."""
    bot = start_fake(mode)
    open_game(bot)
    clocks = OutsideClocks().read()
    counted = everything = 0
    for _ in range(20):
        time.sleep(0.005)
        # Other programs may begin or end between two readings, so all of them are read twice.
        before = outside_us(clocks, NOBODY, frozenset({cpu}))
        counted += outside_us(clocks, bot.supervisor_pid, frozenset({cpu}))
        everything += max(before, outside_us(clocks, NOBODY, frozenset({cpu})))
    bot.kill()
    assert counted <= everything
    if mode == "hides-behind-helpers":
        assert counted < everything


def test_reading_costs_a_small_share_of_the_time() -> None:
    """A reading is reused until its age is fifty times its duration."""
    clocks = OutsideClocks()
    first = clocks.read()
    assert clocks.read() is first
    deadline = time.monotonic() + 30
    while clocks.read() is first:
        assert time.monotonic() < deadline
        time.sleep(0.02)
