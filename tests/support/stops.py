"""Commands that get a signal at a chosen moment: before the N-th line that their main thread runs.

One process loads the program and forks for every command, so that a stop costs some ten
milliseconds. Callbacks of weak references, destructors and code that holds a lock are lines like
any others. Pairs are played at random in the process of the command, by `InstantWorkers`.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from db.records.pairs import PairPlan, PairRecord
from engine.seeds import SplitMix
from ladder.runs.executor import MachineEvent
from tests.end_to_end.traces import faults_of, lines_of
from tests.support.command_server import ROOT, load_program, warm_up
from tests.support.data.random_games import random_record

UNCOUNTED, NEVER = 0, 1 << 60
"""Moments at which no signal comes: lines are not counted, lines are counted."""
CALLED_BY_THE_COLLECTOR = ("__del__", "remove", "_remove", "_finalize_fairy", "_cleanup")
"""Destructors, and callbacks of the standard library's and SQLAlchemy's weak references."""
DULL = ("/ast.py", "/pathlib.py", "/typing.py", "/typing_extensions.py")
"""Files with most of all lines, which hold no lock and wait for nothing."""


class InstantWorkers:
    """A `ladder.runs.executor.PairExecutor` whose pairs are done when they are submitted."""

    slots = 1
    capacity = 2

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        future: Future[PairRecord] = Future()
        future.set_result(random_record(plan, SplitMix(plan.seed)))
        return future

    def wait(self, timeout_s: float) -> None:
        pass

    def events(self) -> tuple[MachineEvent, ...]:
        return ()

    def close(self) -> None:
        pass

    def kill(self) -> None:
        pass


@dataclass(frozen=True)
class Ended:
    """A finished command."""

    code: int
    out: str
    err: str
    lines: int
    """Lines run by its main thread; 0 when they were not counted to its end."""
    callbacks: list[int]
    """Numbers of the lines in callbacks of weak references and in destructors."""


class Stopper:
    """Runs commands in a folder, each as a fork of one process that has the program loaded."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def run(
        self,
        *words: object,
        folder: Path,
        moment: int = UNCOUNTED,
        number: signal.Signals = signal.SIGTERM,
        typed: str = "",
    ) -> Ended:
        """Run a command with the input `typed`; send it the signal before the line `moment`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"words": [*map(str, words)], "folder": str(folder), "moment": moment}
        request |= {"number": int(number), "typed": typed}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return Ended(**json.loads(self._process.stdout.readline()))


@contextmanager
def stopper() -> Iterator[Stopper]:
    """Start the process that forks for every command; stop it at the end of the block."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.stops"],
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Stopper(process)
        assert process.stdin is not None
        process.stdin.close()


PLAYED = ("--bots", "random,stupid", "--simulations", 1, "--boards", "4x4", "--games", 6)
COMMANDS: dict[str, tuple[object, ...]] = {
    "run": ("run", *PLAYED, "--seed", 2),
    "gate": (
        "gate", "random", "--against", "stupid", "--simulations", 1, "--boards", "4x4",
        "--max-games", 20, "--seed", 2,
    ),
    "export": ("export", "-o", "games.jsonl"),
    "report": ("report", "--json"),
    "add": ("bots", "add", "other", "builtin:random"),
    "play": ("play", "random", "--simulations", 1, "--board", "4x4"),
}  # fmt: skip
"""The stopped commands; each runs in a folder whose database holds `PLAYED` with seed 1."""


@dataclass
class Sweep:
    """Counts of the stops of one command."""

    stopped: int = 0
    """Commands that ended with exit code 130."""
    finished: int = 0
    """Commands that ended by themselves before the stop took effect."""
    slowest_s: float = 0.0
    """Longest time from the start of a command to its end."""


def sweep(forks: Stopper, command: str, folder: Path, moments: int) -> Sweep:
    """Stop a command at evenly spread moments, and at as many in callbacks.

    Raises:
        AssertionError: a command did not end in good order, or a run that was stopped and resumed
            has other games than an undisturbed one.

    """
    words, typed = COMMANDS[command], "0\n1\n2\n3\n" * 20
    quiet, stopped = folder / "quiet", folder / "stopped"
    quiet.mkdir()
    assert forks.run("run", *PLAYED, "--seed", 1, folder=folder).code == 0
    shutil.copy(folder / "ladder.db", quiet)
    undisturbed = forks.run(*words, folder=quiet, typed=typed, moment=NEVER)
    assert undisturbed.code in (0, 4), undisturbed.err
    result = Sweep()
    callbacks = undisturbed.callbacks[:: len(undisturbed.callbacks) // moments + 1]
    for moment in (*range(1, undisturbed.lines, undisturbed.lines // moments), *callbacks):
        shutil.rmtree(stopped, ignore_errors=True)
        stopped.mkdir()
        shutil.copy(folder / "ladder.db", stopped)
        begun = time.monotonic()
        done = forks.run(*words, folder=stopped, moment=moment, typed=typed)
        result.slowest_s = max(result.slowest_s, time.monotonic() - begun)
        assert "Traceback" not in done.err, f"at line {moment}: {done.err}"
        assert "ignored" not in done.err, f"at line {moment}: {done.err}"
        assert done.code in (130, undisturbed.code), f"at line {moment}: {done.err}"
        result.stopped += done.code == 130
        result.finished += done.code != 130
        if command == "run":
            assert faults_of(stopped) == []
            assert forks.run(*words, folder=stopped).code == 0
            games, expected = (
                [game for game in lines_of(each) if game[0] == 2] for each in (stopped, quiet)
            )
            assert games[: len(expected)] == expected, f"at line {moment}"
    return result


def serve() -> None:
    """Answer requests, one per line, until the input ends."""
    load_program()
    warm_up()
    for line in sys.stdin:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            reading, writing = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.close(reading)
                _run_command(json.loads(line), out.fileno(), err.fileno(), writing)
            os.close(writing)
            with os.fdopen(reading, "rb") as pipe:
                lines, callbacks = json.loads(pipe.read() or b"[0, []]")
            _, status = os.waitpid(pid, 0)
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode())
        code = os.waitstatus_to_exitcode(status)
        answer = {"code": code, "out": texts[0], "err": texts[1]}
        answer |= {"lines": lines, "callbacks": callbacks}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _run_command(request: dict[str, Any], out: int, err: int, counts: int) -> None:
    """Turn this fork of the server into the command, and exit with its code."""
    code = 99
    try:
        typed, write = os.pipe()
        os.write(write, request["typed"].encode())
        os.close(write)
        for target, number in enumerate((typed, out, err)):
            os.dup2(number, target)
        sys.stdin, sys.stdout, sys.stderr = (
            open(target, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - for the whole life
            for target, mode in ((0, "r"), (1, "w"), (2, "w"))
        )
        os.chdir(request["folder"])
        sys.argv = ["ladder", *request["words"]]
        from ladder.cli import main
        from ladder.signals import StopToken, use_stop
        from tests.support.instant_workforce import InstantWorkforce

        count = 0
        moment, number = request["moment"], request["number"]

        callbacks = []

        def line(frame: FrameType, event: str, _: object) -> Any:
            nonlocal count
            if event == "line":
                count += 1
                if frame.f_code.co_name in CALLED_BY_THE_COLLECTOR:
                    callbacks.append(count)
                if count == moment:
                    signal.raise_signal(number)
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
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        sys.settrace(None)
        with os.fdopen(counts, "w") as pipe:
            json.dump([count, callbacks], pipe)
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


if __name__ == "__main__":
    serve()
