"""The processor time of other programs is distinguished from that of a bot's processes."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from ladder.match.process.outside import OutsideClocks, outside_us
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
