"""Killing parts of a running ladder at random moments, until what was asked for is played."""

import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import psutil

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import marked

NOT_OF_BOTS = ("ladder-cpu-", "ladder-imagined-", "slow")
"""The files through which workers agree on their processors stay, and the one that slows a bot. So
does, after a SIGKILL in the first second, what stands for a database that is not there yet: nobody
is left to remove it."""
COORDINATOR, WORKER, SUPERVISOR, BOT = "coordinator", "worker", "supervisor", "bot"


def serves_signals(pid: int) -> bool:
    """Return whether a process already catches SIGTERM."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def parts_of(coordinator: int, kind: str) -> list[psutil.Process]:
    """Return a command's living processes of one kind; it is the coordinator itself."""
    try:
        process = psutil.Process(coordinator)
        if kind == COORDINATOR:
            return [process]
        workers = [each for each in process.children() if "run_worker" in " ".join(each.cmdline())]
        if kind == WORKER:
            return workers
        supervisors = [each for worker in workers for each in worker.children()]
        if kind == SUPERVISOR:
            return supervisors
        return [each for supervisor in supervisors for each in supervisor.children()]
    except psutil.Error:
        return []  # something of it has ended while we looked


@dataclass
class DisturbedRun:
    """Runs whose parts are killed, and the recorded consequences."""

    ladder: Ladder
    words: Callable[[int], tuple[object, ...]]
    """The command of the run with a seed; given again until it is done."""
    draw: random.Random
    longest_s: float = 3.0
    """The longest pause before a kill."""
    killed: Counter[str] = field(default_factory=Counter)
    gone_s: list[float] = field(default_factory=list)
    """How long after the end of a killed coordinator something of it still lived."""
    seed: int = 0
    """Of the run in play; runs are played one after another."""

    def mark(self) -> str:
        """Return the scratch folder, which the environment of all processes of these runs names."""
        scratch = self.ladder.folder / "scratch"
        scratch.mkdir(exist_ok=True)
        self.ladder.environment["TMPDIR"] = str(scratch)
        return str(scratch)

    def scratch_left(self) -> list[str]:
        """Return the scratch folders that were not removed."""
        names = (path.name for path in (self.ladder.folder / "scratch").iterdir())
        return [name for name in names if not name.startswith(NOT_OF_BOTS)]

    def kill(self, *kinds: str) -> None:
        """Kill a part of each kind, one after another; start the next run when one is done."""
        mark = self.mark()
        process = self.ladder.start(*self.words(self.seed))
        left = [*kinds]
        while left:
            time.sleep(self.draw.uniform(0, self.longest_s))
            kind = left[0]
            if self._strike(process.pid, kind):
                del left[0]
            if kind == COORDINATOR:
                process.wait()
            if process.poll() is not None:
                done = self.ladder.finish(process)
                # 5: workers that die again and again without a pair between them end a run, too.
                assert done.code in (0, -signal.SIGKILL, 5), done.err
                self._wait_gone(mark)
                self.seed += done.code == 0
                process = self.ladder.start(*self.words(self.seed))
        assert self.ladder.finish(process, timeout=300).code in (0, 5)
        while (done := self.ladder(*self.words(self.seed), "--resume", timeout=300)).code == 5:
            pass
        assert done.code == 0, done.err
        self.seed += 1
        self._wait_gone(mark)

    def _strike(self, coordinator: int, kind: str) -> bool:
        parts = parts_of(coordinator, kind)
        if not parts:
            return False
        try:
            self.draw.choice(parts).kill()
        except psutil.NoSuchProcess:
            return False
        self.killed[kind] += 1
        return True

    def _wait_gone(self, mark: str) -> None:
        begun = time.monotonic()
        while marked(mark):
            assert time.monotonic() - begun < 30, f"still there: {marked(mark)}"
            time.sleep(0.01)
        self.gone_s.append(time.monotonic() - begun)

    def summary(self) -> str:
        """Return kills by kind, and the time until all processes were gone."""
        kinds = ", ".join(f"{count} of a {kind}" for kind, count in self.killed.items())
        return (
            f"{kinds}; {self.seed} runs; all gone after {median(self.gone_s):.2f} s in the median, "
            f"{max(self.gone_s):.2f} s at worst"
        )
