"""Ends of runs: by signals at any moment, by targets, and what is there afterwards."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.disturbing import (
    BOT,
    COORDINATOR,
    SUPERVISOR,
    WORKER,
    parts_of,
    serves_signals,
)
from tests.end_to_end.stops import sweep
from tests.end_to_end.traces import (
    QUICK,
    QUICK_ALONE,
    descendants_of_session,
    faults_of,
    lines_of,
    lines_of_safely,
    marked,
    query,
)
from tests.support.waiting import eventually

SHOWN = {"gate"}
"""The command that `make test` stops at any line: it plays and stores a verdict."""
SWEPT = ("gate", "export", "run", "play")
"""Besides, a command that writes, a run that is resumed and compared, and one that reads input."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "delay"),
    [
        (signal.SIGINT, None),
        (signal.SIGTERM, 0.3),
        (signal.SIGHUP, 0.9),
        pytest.param(signal.SIGTERM, None, marks=pytest.mark.very_slow),
        pytest.param(signal.SIGINT, 0.0, marks=pytest.mark.very_slow),
    ],
)
def test_signals_at_any_moment_stop_and_save(
    ladder: Ladder, first: signal.Signals, delay: float | None
) -> None:
    """Imports, start-up, planning or play: 130 and one sentence, and nothing is left running.

    A second signal while the first is served must change nothing of that. Without a delay it is a
    fresh interpreter, which has yet to import the program.
    """
    start = ladder.start_fresh if delay is None else ladder.start
    with ladder.stock().slow():
        process = start("run", *QUICK, "--seed", "1")
        eventually(lambda: serves_signals(process.pid))
        time.sleep(delay or 0.0)
        os.killpg(process.pid, first)
        time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        done = ladder.finish(process)
    assert done.code == 130, done.err
    assert "Traceback" not in done.err
    assert "died" not in done.err, "a worker took the signal that its group got"
    eventually(lambda: not marked(str(ladder.folder / "scratch")))
    if lines_of(ladder.folder):
        assert faults_of(ladder.folder) == []
        assert query(ladder.folder, "select status from runs") == [("interrupted",)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [each if each in SHOWN else pytest.param(each, marks=pytest.mark.very_slow) for each in SWEPT],
)
def test_a_stop_at_any_line_is_obeyed(tmp_path: Path, command: str) -> None:
    """Wherever the signal comes, in callbacks and destructors, too, the end is in good order.

    A handler that raises is lost in a callback, and Python prints "Exception ignored in".
    """
    assert sweep(command, tmp_path, moments=2) > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("perft", "9x9", "12"),
        pytest.param(
            ("train", "c4ai", "--depth", "23", "--boards", "9x9"), marks=pytest.mark.very_slow
        ),
    ],
)
def test_a_stop_ends_compiled_code_that_runs_for_hours(
    ladder: Ladder, words: tuple[str, ...]
) -> None:
    """It runs in a process of its own: in ours no handler would be called before its end."""
    process = ladder.start(*words)
    family = psutil.Process(process.pid)
    eventually(lambda: any(busy_s(each) > 1 for each in family.children()))
    done = ladder.interrupt(process)
    assert done.code == 130, done.err
    eventually(lambda: not descendants_of_session(process.pid))


def busy_s(process: psutil.Process) -> float:
    """Seconds of processor time; 0 when it has ended."""
    try:
        return float(process.cpu_times().user)
    except psutil.Error:
        return 0.0


@pytest.mark.very_slow
def test_a_run_under_nohup_continues_without_its_terminal(ladder: Ladder) -> None:
    """It ignores SIGHUP, which the closed terminal sends."""
    with ladder.stock().slow():
        former = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a child inherits it
        try:
            process = ladder.start_fresh("run", *QUICK_ALONE, "--seed", "1", "--games", "20")
        finally:
            signal.signal(signal.SIGHUP, former)
        eventually(lambda: len(lines_of(ladder.folder)) >= 2)
        os.killpg(process.pid, signal.SIGHUP)
        time.sleep(0.1)
        assert process.poll() is None
    done = ladder.finish(process)
    assert done.code == 0, done.err
    assert query(ladder.folder, "select count(*) from games") == [(20,)]


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.parametrize("stopped", ["ladder", "everything"])
def test_no_bot_is_charged_for_a_suspension(ladder: Ladder, stopped: str) -> None:
    """Stopped and continued, by Ctrl-Z, a debugger or a sleeping machine, a run resumes.

    Moves have 100 ms and a margin of 400 ms, and every suspension is longer than both.
    """
    with ladder.stock().slow():
        process = ladder.start(
            "run", "--bots", "steady,random", "--time", "100ms", "--margin", "400ms", "--boards",
            "6x7", "--games", 10, "--seed", 1, "--concurrency", "2",
        )  # fmt: skip
        eventually(lambda: len(lines_of_safely(ladder.folder)) >= 2)
        for _ in range(2):
            parts = [*parts_of(process.pid, COORDINATOR), *parts_of(process.pid, WORKER)]
            if stopped == "everything":
                parts += [*parts_of(process.pid, SUPERVISOR), *parts_of(process.pid, BOT)]
            for part in parts:
                with suppress(psutil.NoSuchProcess):  # a bot that has just been replaced
                    part.suspend()
            time.sleep(0.7)
            # Bots first: a worker that goes on asks them, and then nobody excuses them.
            for part in reversed(parts):
                with suppress(psutil.NoSuchProcess):
                    part.resume()
            time.sleep(0.3)
    done = ladder.finish(process)
    assert done.code == 0, done.err
    endings = {ending for *_, ending, _, _ in lines_of(ladder.folder)}
    assert endings <= {"four_in_a_row", "board_full"}
    stalls = query(ladder.folder, "select sum(stalls) from pairs")[0][0]
    assert stalls > 0, "the test has shown nothing"
