"""Ten experiments of two authors in a queue on three machines with kills, against the same by hand.

    python -m benchmarks.queue_machines --kill-every 10 [--games 20] [--jobs 3]

The machines are network namespaces of this one, each with a worker. Once the first pair is stored,
a worker, the service, one of its commands or the scheduler is killed with SIGKILL every few seconds
and, if it was started here, started again; the next kill waits until a further pair is stored. One
machine is drained for a while. The file of one bot is deleted once its experiments wait. Games and
exit codes must equal those of the commands started by hand, each pair stored once, and no process
left behind.
"""

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.cluster import FINISHED, ROOT, Place, networks
from tests.end_to_end.traces import faults_of, lines_of, query

BOT = ROOT / "tests" / "fake_bots" / "bot.py"
MACHINES = ("ladder-a", "ladder-b", "ladder-c")
WORK = ("--boards", "6x7", "--simulations", 300, "--watchdog", 600)
OPEN = "select count(*) from queue_entries where state in ('waiting', 'playing', 'paused')"
SERVICE = "service"
VICTIMS = ("worker", SERVICE, "command", "scheduler")


def experiments(games: int) -> list[tuple[str, tuple[object, ...]]]:
    """Return the authors and command lines; each has a seed of its own."""
    ended = ("--max-games", 2 * games)
    chosen: list[tuple[str, tuple[object, ...]]] = [
        ("ann", ("match", "v1", "random", "--games", games)),
        ("ann", ("match", "steady", "stupid", "--games", games)),
        ("ann", ("gate", "v1", "--against", "random", *ended)),
        ("ann", ("gate", "random", "--against", "v1", *ended)),
        ("ann", ("run", "--bots", "random,stupid,v1", "--games", games)),
        ("ann", ("match", "v4", "v1", "--games", games)),
        ("ann", ("run", "--bots", "steady,random", "--games", games)),
        ("bob", ("match", "v4", "stupid", "--games", games)),
        ("bob", ("gate", "v4", "--against", "v1", *ended)),
        ("bob", ("match", "steady", "random", "--games", games)),
    ]
    return [
        (author, (*words, *WORK, "--seed", number))
        for number, (author, words) in enumerate(chosen, start=11)
    ]


class Show:
    """A queue with its service, scheduler and machines."""

    def __init__(self, place: Place, asked: argparse.Namespace) -> None:
        self.place = place
        self.jobs = asked.jobs
        self.chance = random.Random(asked.seed)
        self.did: Counter[str] = Counter()
        self.service: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start everything; the queue is filled before."""
        self.place.start_scheduler()
        for machine in MACHINES:
            self.place.start_worker(machine, 1)
        self.start_service()

    def start_service(self) -> None:
        """Start a service for the queue."""
        words = ("queue", "work", "--jobs", self.jobs, "--cluster", *self.place.reach)
        self.service = self.place.start(*words)

    def kill(self) -> None:
        """Kill one process and start it again."""
        victim = self.chance.choice(VICTIMS)
        if victim == "worker":
            name = self.chance.choice(MACHINES)
            self.place.workers[name].kill()
            self.place.workers[name].wait()
            self.place.start_worker(name, 1)
        elif victim == "scheduler":
            assert self.place.scheduler is not None
            self.place.scheduler.kill()
            self.place.scheduler.wait()
            self.place.start_scheduler()
        else:
            assert self.service is not None
            servers = children_of(self.service.pid)
            commands = [each for server in servers for each in children_of(server)]
            if victim == "command" and commands:
                subprocess.run(["kill", "-9", str(self.chance.choice(commands))], check=False)
            else:
                victim = SERVICE
                self.service.kill()
                self.service.wait()
                self.start_service()
        self.did[victim] += 1

    def end(self) -> None:
        """Stop everything in good order."""
        if self.service is not None:
            self.service.terminate()
            self.service.wait(60)
        self.place.end()


def children_of(process: int) -> list[int]:
    """Return the children of a process."""
    done = subprocess.run(
        ["pgrep", "-P", str(process)], check=False, capture_output=True, text=True
    )
    return [int(word) for word in done.stdout.split()]


def prepare(place: Place) -> None:
    """Register the bot that is a file of its author."""
    shutil.copy(BOT, place.folder)
    spec = f"exec:{sys.executable} -I -S bot.py slows-down"
    assert place.start("bots", "add", "steady", spec).wait() == 0, place.folder


def by_hand(place: Place, chosen: list[tuple[str, tuple[object, ...]]], jobs: int) -> list[int]:
    """Run the command of each experiment, some at a time, and return their exit codes."""
    prepare(place)
    with ThreadPoolExecutor(jobs) as threads:
        return [*threads.map(lambda each: place.start(*each[1], "--concurrency", 1).wait(), chosen)]


def seed_of(words: Sequence[object]) -> int:
    """Return the seed of a command line, by which its result is found."""
    return int(str(words[words.index("--seed") + 1]))


def seeds_of_unequal_games(
    alone: list[tuple[Any, ...]], many: list[tuple[Any, ...]], gates: set[int]
) -> list[int]:
    """Return the seeds of the experiments whose games differ.

    Pairs in play when a gate is decided are stored too, and their number depends on the slots: of a
    gate, the pairs that both have are compared.
    """
    unequal = []
    for seed in sorted({row[0] for row in alone + many}):
        both = [[row for row in rows if row[0] == seed] for rows in (alone, many)]
        if seed in gates:
            numbers = set.intersection(*({row[1] for row in rows} for rows in both))
            both = [[row for row in rows if row[1] in numbers] for rows in both]
        if both[0] != both[1] or not both[0]:
            unequal.append(seed)
    return unequal


def print_output(place: Place, *words: object) -> None:
    """Run a command and print what it prints."""
    log = place.folder / "log.txt"
    before = log.stat().st_size
    place.start(*words).wait()
    print(log.read_bytes()[before:].decode(), flush=True)


def play(show: Show, kill_every: float, most_seconds: float) -> float:
    """Disturb the queue until it is empty or the time is up; return the seconds."""
    begun = time.monotonic()
    next_kill = begun + kill_every
    folder, reach = show.place.folder, ("--cluster", *show.place.reach)
    total = left = query(folder, OPEN)[0][0]
    is_drained = was_drained = False
    stored_before = 0
    while left and time.monotonic() < begun + most_seconds:
        time.sleep(0.5)
        left = query(folder, OPEN)[0][0]
        if left <= total * 0.7 and not was_drained:
            is_drained = was_drained = True
            print_output(show.place, "cluster", "drain", MACHINES[2], *reach)
            print_output(show.place, "cluster", "status", *reach)
        if left <= total * 0.4 and is_drained:
            is_drained = False
            print_output(show.place, "cluster", "release", MACHINES[2], *reach)
        stored = query(folder, FINISHED)[0][0]
        # Only after progress: on a loaded machine a worker needs longer to get ready.
        if kill_every and time.monotonic() > next_kill and stored > stored_before:
            show.kill()
            next_kill, stored_before = time.monotonic() + kill_every, stored
    return time.monotonic() - begun


def main() -> None:
    """Play by hand, then in the queue, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=20, help="of each match and run")
    parser.add_argument("--jobs", type=int, default=3)
    parser.add_argument("--kill-every", type=float, default=10.0, help="seconds; 0: never")
    parser.add_argument("--most-seconds", type=float, default=3600.0, help="for the queue")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, help="keep the output of all processes here")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("it was stopped"))  # everything is ended
    chosen = experiments(asked.games)
    with (
        tempfile.TemporaryDirectory(prefix="queue-machines-") as name,
        networks(MACHINES) as apart,
    ):
        print("three network namespaces" if apart else "three workers on loopback", flush=True)
        alone, many = Path(name, "alone"), Path(name, "many")
        alone.mkdir()
        many.mkdir()
        begun = time.monotonic()
        expected = by_hand(Place(alone, namespaces=False), chosen, asked.jobs)
        print(f"by hand: {time.monotonic() - begun:.0f} s, exit codes {expected}", flush=True)
        place = Place(many, namespaces=apart)
        prepare(place)
        assert place.start("cluster", "certificates", "set").wait() == 0
        added = [
            place.start("queue", "add", "--as", author, "--", *words) for author, words in chosen
        ]
        assert {command.wait() for command in added} == {0}, (many / "log.txt").read_text()
        (many / "bot.py").unlink()
        show = Show(place, asked)
        try:
            show.start()
            seconds = play(show, asked.kill_every, asked.most_seconds)
            print_output(place, "queue", "list")
        finally:
            show.end()
            if asked.log is not None:
                shutil.copy(many / "log.txt", asked.log)
        print(f"queue: {seconds:.0f} s; killed: {dict(show.did)}")
        by_seed = {
            seed_of(json.loads(arguments)): code
            for arguments, code in query(many, "select arguments, exit_code from queue_entries")
        }
        codes = [by_seed[seed_of(words)] for _, words in chosen]
        gates = {seed_of(words) for _, words in chosen if words[0] == "gate"}
        unequal = seeds_of_unequal_games(lines_of(alone), lines_of(many), gates)
        print(f"exit codes equal: {codes == expected}; games equal one by one: {not unequal}")
        if unequal:
            print(f"unequal: the experiments with seeds {unequal}")
        print(f"games: {len(lines_of(many))}; faults: {faults_of(many)}")
        deadline = time.monotonic() + 30
        while place.left_behind() and time.monotonic() < deadline:
            time.sleep(0.2)
        print(f"left behind: {place.left_behind()}")
        sys.exit(bool(unequal) or codes != expected or bool(faults_of(many) or place.left_behind()))


if __name__ == "__main__":
    main()
