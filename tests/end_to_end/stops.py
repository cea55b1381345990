"""Commands that get a signal at a chosen moment: before the N-th line that their main thread runs.

Callbacks of weak references, destructors and code that holds a lock are lines like any others.
Pairs are played at random in the process of the command, by `InstantWorkers`.
"""

import json
import os
import shutil
import signal
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE
from types import FrameType
from typing import Any

from tests.end_to_end.conftest import SERVER
from tests.end_to_end.traces import faults_of, lines_of

UNCOUNTED, NEVER = 0, 1 << 60
"""Moments at which no signal comes: lines are not counted, lines are counted."""
MOMENT, COUNTS = "TEST_STOP_MOMENT", "TEST_STOP_COUNTS"
"""Environment variables with the moment and the file for the counts."""
CALLED_BY_THE_COLLECTOR = ("__del__", "remove", "_remove", "_finalize_fairy", "_cleanup")
"""Destructors, and callbacks of the standard library's and SQLAlchemy's weak references."""
DULL = ("/ast.py", "/pathlib.py", "/typing.py", "/typing_extensions.py")
"""Files with most of all lines, which hold no lock and wait for nothing."""
PLAYED = ("--bots", "random,stupid", "--simulations", 1, "--boards", "4x4", "--games", 6)
COMMANDS: dict[str, tuple[object, ...]] = {
    "run": ("run", *PLAYED, "--seed", 2),
    "gate": (
        "gate", "random", "--against", "stupid", "--simulations", 1, "--boards", "4x4",
        "--max-games", 8, "--seed", 2,
    ),
    "export": ("export", "-o", "games.jsonl"),
    "play": ("play", "random", "--simulations", 1, "--board", "4x4"),
}  # fmt: skip
"""The stopped commands; each runs in a folder whose database holds `PLAYED` with seed 1."""


@dataclass(frozen=True)
class Ended:
    """A finished command."""

    code: int
    err: str
    lines: int = 0
    """Lines run by its main thread; 0 when they were not counted to its end."""
    callbacks: tuple[int, ...] = ()
    """Numbers of the lines in callbacks of weak references and in destructors."""


def _run(*words: object, folder: Path, moment: int = UNCOUNTED, typed: str = "") -> Ended:
    """Run a command with the input `typed`; send it SIGTERM before the line `moment`."""
    counts = folder / "counts.json"
    environment = {**os.environ, MOMENT: str(moment), COUNTS: str(counts)}
    entry = f"{__name__}:count_lines"
    command = SERVER.start(words, folder, environment, stdin=PIPE, entry=entry)
    _, err = command.communicate(typed, timeout=300)
    if not counts.exists():  # it was killed
        return Ended(command.wait(), err)
    lines, callbacks = json.loads(counts.read_text())
    counts.unlink()
    return Ended(command.wait(), err, lines, tuple(callbacks))


def sweep(command: str, folder: Path, moments: int) -> int:
    """Stop a command at evenly spread moments, and at as many in callbacks.

    Returns:
        The number of commands that ended with exit code 130.

    Raises:
        AssertionError: a command did not end in good order, or a run that was stopped and resumed
            has other games than an undisturbed one.

    """
    words, typed = COMMANDS[command], "0\n1\n2\n3\n" * 20
    quiet, stopped = folder / "quiet", folder / "stopped"
    quiet.mkdir()
    assert _run("run", *PLAYED, "--seed", 1, folder=folder).code == 0
    shutil.copy(folder / "ladder.db", quiet)
    undisturbed = _run(*words, folder=quiet, typed=typed, moment=NEVER)
    assert undisturbed.code in (0, 4), undisturbed.err
    stops = 0
    callbacks = undisturbed.callbacks[:: len(undisturbed.callbacks) // moments + 1]
    for moment in (*range(1, undisturbed.lines, undisturbed.lines // moments), *callbacks):
        shutil.rmtree(stopped, ignore_errors=True)
        stopped.mkdir()
        shutil.copy(folder / "ladder.db", stopped)
        done = _run(*words, folder=stopped, moment=moment, typed=typed)
        assert "Traceback" not in done.err, f"at line {moment}: {done.err}"
        assert "ignored" not in done.err, f"at line {moment}: {done.err}"
        assert done.code in (130, undisturbed.code), f"at line {moment}: {done.err}"
        stops += done.code == 130
        if command == "run":
            assert faults_of(stopped) == []
            assert _run(*words, folder=stopped).code == 0
            games, expected = (
                [game for game in lines_of(each) if game[0] == 2] for each in (stopped, quiet)
            )
            assert games[: len(expected)] == expected, f"at line {moment}"
    return stops


def count_lines() -> None:
    """Run the command of this process and count its lines; it gets SIGTERM before one of them."""
    from ladder.cli import main
    from ladder.signals import StopToken, use_stop
    from tests.support.instant_workforce import InstantWorkforce

    moment, count = int(os.environ[MOMENT]), 0
    callbacks: list[int] = []

    def line(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        if event == "line":
            count += 1
            if frame.f_code.co_name in CALLED_BY_THE_COLLECTOR:
                callbacks.append(count)
            if count == moment:
                signal.raise_signal(signal.SIGTERM)
                sys.settrace(None)  # the rest need not be counted, which takes long
        return line

    def call(frame: FrameType, _: str, __: object) -> Any:
        if frame.f_code.co_filename.endswith(DULL):
            return None
        return line if threading.current_thread() is threading.main_thread() else None

    class CountingToken(StopToken):
        def listen(self) -> None:
            super().listen()  # before it, Python's own handlers serve the signal
            if moment != UNCOUNTED:
                sys.settrace(call)

    try:
        with use_stop(CountingToken()):
            main.main(InstantWorkforce())
    finally:
        sys.settrace(None)
        Path(os.environ[COUNTS]).write_text(json.dumps([count, callbacks]))
