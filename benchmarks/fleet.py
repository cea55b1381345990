"""A simulated fleet: how busy one coordinator keeps slots that sleep instead of playing.

    python -m benchmarks.fleet --slots 50,100,200,500,1000 --seconds 60 [--machine-slots N]
        [--db URL] [--profile]

Scheduler, workers, coordinator, runner and database are the real ones; only a pair takes no
processor: its slot sleeps and sends a record of real size. A machine has 50 slots unless
`--machine-slots` says otherwise; a process hosts machines of 50 slots together. The
share of busy time is counted over the middle of the run, from the moment when all slots are there,
and so is the processor time of each process: what comes near to one processor is what breaks first.
`--profile` says where the coordinator's two threads are, by looking at them 50 times a second.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import msgspec
import psutil

from db.records.pairs import Entrant, PairPlan, PairRecord
from db.store import Store
from engine.board import parse_board_classes
from engine.seeds import SplitMix
from ladder.match.process.confinement import BUILT_IN_ONLY
from ladder.match.registry.builtins import sync_builtins
from ladder.runs.budgets import Budgets
from ladder.runs.cluster import machine
from ladder.runs.cluster.executor import Cluster
from ladder.runs.cluster.security import SchedulerEndpoint
from ladder.runs.cluster.serving import serve_scheduler, serve_worker
from ladder.runs.cluster.shipping import RunManifest
from ladder.runs.cluster.slot import Prepared
from ladder.runs.progress import LiveRun, NullWatcher
from ladder.runs.schedule import Pairing, PairingKind
from ladder.runs.settings import ResumePolicy, Settings
from ladder.runs.start import start_run
from tests.support.data.random_games import random_record

SLOTS_OF_A_PROCESS = 50
RECORDS = 200
"""Pairs that a worker makes up, by the remainder of their numbers; it sends them repeatedly."""
LOOK_S = 0.02
"""Interval between two samples of the profile."""
ENOUGH = 0.95
"""The share of busy time below which a coordinator does not keep its slots busy."""
BOTS = ("random", "stupid")


def sleep_instead(seconds: float) -> None:
    """Make this process's machine sleep for about `seconds` instead of playing a pair."""

    made: dict[int, PairRecord] = {}

    def play(key: str, plan: PairPlan) -> PairRecord:
        del key
        index = plan.number % RECORDS  # a pair that is played again has equal games
        if index not in made:  # playing at random takes more processor than all the rest
            made[index] = random_record(plan, SplitMix(index), time_us=20)
        begun = time.time()
        time.sleep(seconds * random.uniform(0.5, 1.5))
        games = tuple(msgspec.structs.replace(game, started=begun) for game in made[index].games)
        return msgspec.structs.replace(made[index], id=plan.id, number=plan.number, games=games)

    def prepare(kit: RunManifest, sides: tuple[Entrant, ...]) -> Prepared:
        del kit, sides
        return Prepared(1.0, {})

    # Tasks come by the names of their functions.
    machine.play, machine.prepare = play, prepare
    for function in (play, prepare):
        function.__module__, function.__qualname__ = machine.__name__, function.__name__


class Clock(NullWatcher):
    """The times at which pairs were stored once all slots had joined."""

    def __init__(self, slots: int, seconds: float, processes: Sequence[int]) -> None:
        self.slots, self.seconds = slots, seconds
        self.full: float | None = None
        self.moments: list[float] = []
        self.spent: list[list[float]] = []
        """Processor seconds of the coordinator, the scheduler and all workers together: at the
        beginning of the time that counts and at its end."""
        self._processes = [psutil.Process(number) for number in processes]

    def tick(self, live: LiveRun) -> None:
        """Check whether all slots have joined, and end the run in time."""
        now = time.monotonic()
        if self.full is None and live.workers >= self.slots:
            self.full = now
        if self.full is None:
            return
        if not self.spent and now > self.full + self.seconds / 4:
            self.spent.append(self._spent_now())
        if len(self.spent) == 1 and now > self.full + self.seconds:
            self.spent.append(self._spent_now())
            live.deadline = now

    def _spent_now(self) -> list[float]:
        each = [sum(process.cpu_times()[:2]) for process in self._processes]
        return [time.process_time(), each[0], sum(each[1:])]

    def pair_finished(self, live: LiveRun, record: PairRecord) -> None:
        """Record the time."""
        self.moments.append(time.monotonic())


def measure(asked: argparse.Namespace, slots: int, place: str) -> None:
    """Play with this number of slots and print how busy they were."""
    port = random.randrange(20000, 30000)
    words = [sys.executable, "-m", "benchmarks.fleet", "--port", str(port)]
    sleeping = ["--pair-seconds", str(asked.pair_seconds)]
    processes = [subprocess.Popen([*words, "--be", "scheduler"], stdout=subprocess.DEVNULL)]
    left = slots
    while left > 0:
        of_this = min(SLOTS_OF_A_PROCESS // asked.machine_slots * asked.machine_slots, left)
        worker = [*words, *sleeping, "--be", "worker", "--slots", str(of_this)]
        worker += ["--machine-slots", str(asked.machine_slots)]
        name = f"fleet-{len(processes)}"
        environment = {**os.environ, machine.NAME_VARIABLE: name}
        processes.append(
            subprocess.Popen(
                worker, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        )
        left -= of_this
    clock = Clock(slots, asked.seconds, [process.pid for process in processes])
    profile = Profile() if asked.profile else None
    try:
        with Store.open(place) as store:
            sync_builtins(store)
            settings = Settings(
                bots=BOTS,
                boards=parse_board_classes("6x7"),
                budgets=Budgets({"time_ms": 1000}),  # nothing is played twice to be compared
                opening_plies=0,  # a record is that of any pair
                pairing=Pairing(PairingKind.RANDOM),
                seconds=3600.0,
                confinement=BUILT_IN_ONLY,
                resume_policy=ResumePolicy.NEVER,
            )
            start_run(
                store=store,
                settings=settings,
                bots=[store.bots.get(name) for name in BOTS],
                watcher=clock,
                workforce=Cluster(SchedulerEndpoint("127.0.0.1", port)),
            )
    finally:
        if profile is not None:
            profile.is_over.set()
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()
    report(clock, slots, asked)
    if profile is not None:
        profile.show()


class Profile:
    """A sampling profile of the threads of this process."""

    def __init__(self) -> None:
        self.is_over = threading.Event()
        self.places: dict[str, Counter[str]] = {}
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while not self.is_over.wait(LOOK_S):
            names = {each.ident: each.name for each in threading.enumerate()}
            for number, frame in sys._current_frames().items():
                name = names.get(number, "")
                if name in ("MainThread", "cluster"):
                    self.places.setdefault(name, Counter())[place_of(frame)] += 1

    def show(self) -> None:
        """Print each thread's most frequent places."""
        for name, places in self.places.items():
            total = places.total()
            print(f"  {name}, of {total} samples:")
            for place, count in places.most_common(8):
                print(f"    {count / total:6.1%} {place}")


def place_of(frame: FrameType | None) -> str:
    """Return a thread's innermost function and its innermost caller in the ladder."""
    assert frame is not None
    inner, ours = frame, frame
    while ours.f_back is not None and not is_ours(ours):
        ours = ours.f_back
    words = [f"{Path(each.f_code.co_filename).stem}.{each.f_code.co_qualname}"
             for each in (ours, inner)]  # fmt: skip
    return " ... ".join(dict.fromkeys(words))


def is_ours(frame: FrameType) -> bool:
    """Return whether a function belongs to the ladder."""
    return "/ladder/" in frame.f_code.co_filename or "/db/" in frame.f_code.co_filename


def report(clock: Clock, slots: int, asked: argparse.Namespace) -> None:
    """Print a line about the middle of the run."""
    if clock.full is None or len(clock.spent) < 2:
        print(f"{slots} slots: they were never all there")
        return
    start = clock.full + asked.seconds / 4
    stop = clock.full + asked.seconds
    pairs = sum(start <= moment < stop for moment in clock.moments)
    busy = pairs * asked.pair_seconds / (slots * (stop - start))
    spent = [after - before for before, after in zip(*clock.spent, strict=True)]
    names = ("coordinator", "scheduler", "workers together")
    shares = ", ".join(
        f"{name} {1000 * cpu_s / max(1, pairs):.2f} ms of processor a pair "
        f"({cpu_s / (stop - start):.0%} of one)"
        for name, cpu_s in zip(names, spent, strict=True)
    )
    print(
        f"{slots} slots in {slots // asked.machine_slots} machines: {100 * busy:.1f} % busy, "
        f"{pairs / (stop - start):.0f} pairs/s, {shares}"
        + ("" if busy >= ENOUGH else ": NOT KEPT BUSY"),
        flush=True,
    )


def main(words: Sequence[str] | None = None) -> None:
    """Measure each number of slots, or run as one of the processes."""
    parser = argparse.ArgumentParser(description="How busy a coordinator keeps a fleet.")
    parser.add_argument("--slots", default="200", help="one number or several: 50,200,1000")
    parser.add_argument("--pair-seconds", type=float, default=2.0)
    parser.add_argument(
        "--machine-slots", type=int, default=SLOTS_OF_A_PROCESS, choices=(1, 2, 5, 10, 25, 50)
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--db", help="a file or URL; default a new SQLite file")
    parser.add_argument("--profile", action="store_true", help="where the coordinator's time goes")
    parser.add_argument("--port", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--be", choices=("scheduler", "worker"), help=argparse.SUPPRESS)
    asked = parser.parse_args(words)
    if asked.be == "scheduler":
        serve_scheduler(SchedulerEndpoint("127.0.0.1", asked.port), print)
    elif asked.be == "worker":
        sleep_instead(asked.pair_seconds)
        serve_worker(
            SchedulerEndpoint("127.0.0.1", asked.port),
            slots=asked.machine_slots,
            machines=int(asked.slots) // asked.machine_slots,
            name=None,
            sandbox=(),
            report=print,
        )
    else:
        for slots in map(int, asked.slots.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                measure(asked, slots, asked.db or str(Path(folder, "fleet.db")))


if __name__ == "__main__":
    main()
