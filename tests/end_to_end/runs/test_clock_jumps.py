"""Runs and servers while the time of day is set on and back: only the monotonic clock may count."""

import json
import shutil
import struct
import subprocess
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import ROOT, Ladder
from tests.end_to_end.traces import QUICK_ALONE, faults_of, lines_of, lines_of_safely, query

COMPILER = shutil.which("cc") or shutil.which("gcc")
SOURCE = ROOT / "tests" / "support" / "shifted_clock.c"
DAY_S = 86400
Wait = Callable[[Callable[[], bool]], None]
pytestmark = pytest.mark.skipif(
    COMPILER is None, reason="no C compiler to make a clock that can be set"
)


class Clock:
    """The time of day of the commands of one test."""

    def __init__(self, folder: Path) -> None:
        library = folder / "shifted_clock.so"
        compiling = [str(COMPILER), "-O1", "-shared", "-fPIC", "-o", str(library), str(SOURCE)]
        subprocess.run(compiling, check=True)
        self._shift = folder / "shift"
        self._shift.write_bytes(struct.pack("l", 0))
        self.environment = {"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(self._shift)}

    def set(self, seconds: int) -> None:
        """Set it to so many seconds after the machine's, or before."""
        with self._shift.open("r+b") as file:
            file.write(struct.pack("l", seconds))


@pytest.fixture
def clock(ladder: Ladder, tmp_path_factory: pytest.TempPathFactory) -> Clock:
    """Return the clock of commands that are started afresh."""
    made = Clock(tmp_path_factory.mktemp("clock"))
    ladder.environment.update(made.environment)
    return made


@pytest.mark.very_slow
def test_a_run_plays_the_same_games_while_the_clock_is_set(
    ladder: Ladder, clock: Clock, eventually: Wait
) -> None:
    """Set on and back by a day, a run must play the same games, and `serve` must show it."""
    words = ("run", *QUICK_ALONE, "--games", 30, "--seed", 1)
    ladder.stock()
    assert ladder(*words).code == 0
    quiet = lines_of(ladder.folder)
    ladder.stock()
    site = ladder.start_fresh("serve", "--port", 0)
    assert site.stdout is not None
    address = site.stdout.readline().strip()

    def shown() -> Any:
        with urllib.request.urlopen(f"{address}api/runs") as answer:  # noqa: S310
            return json.load(answer)["runs"][0]

    with ladder.slow():
        run = ladder.start_fresh(*words)
        for shift in (DAY_S, -DAY_S, 0):
            before = len(lines_of_safely(ladder.folder))
            eventually(lambda before=before: len(lines_of_safely(ladder.folder)) > before + 3)  # type: ignore[misc]
            clock.set(shift)
            now = shown()
            assert now["status"] == "running"
            assert now["games_an_hour"] is None or now["games_an_hour"] < 1e6
    done = ladder.finish(run)
    assert done.code == 0, done.err
    assert lines_of(ladder.folder) == quiet
    assert faults_of(ladder.folder) == []
    spread = "select max(started_at) - min(started_at) from games"
    assert query(ladder.folder, spread)[0][0] > DAY_S, "the clock was not set"
    eventually(lambda: shown()["status"] == "finished")
    assert ladder.interrupt(site).code == 0


@pytest.mark.very_slow
def test_hours_are_measured_by_the_monotonic_clock(
    ladder: Ladder, clock: Clock, eventually: Wait
) -> None:
    """A run for a time must neither end when the clock is set on nor last when it is set back.

    The same command resumes it with what is left, not with a day more or less.
    """
    words = ("run", *QUICK_ALONE, "--bots", "steady,random", "--hours", 0.005, "--seed", 2)
    ladder.stock()
    with ladder.slow():
        run = ladder.start_fresh(*words)
        eventually(lambda: len(lines_of_safely(ladder.folder)) > 3)
        clock.set(DAY_S)
        before = len(lines_of(ladder.folder))
        eventually(lambda: len(lines_of(ladder.folder)) > before + 3)
        stopped = ladder.interrupt(run)
        assert stopped.code == 130, stopped.err
        before = len(lines_of(ladder.folder))
        clock.set(-DAY_S)
        done = ladder.finish(ladder.start_fresh(*words))
    assert done.code == 0, done.err
    assert len(lines_of(ladder.folder)) > before
    assert query(ladder.folder, "select count(*), min(status) from runs") == [(1, "finished")]
    assert faults_of(ladder.folder) == []
