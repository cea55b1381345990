"""The queue at scale: fairness, delay, cost, and kills, on simulated slots.

    python -m benchmarks.queue_load [--slots 200] [--jobs 10] [--waiting 100] [--seconds 120]
        [--kill-every 10] [--db URL]

Scheduler, machines, service, commands and database are the real ones; only a pair takes no
processor (see `benchmarks.fleet`). Authors submit matches that last, one of them many more than the
others. Printed are the slots kept busy, the pairs by author, the processor share of the service and
of the commands, and the time from the submission of another author's match to its first game.

Then these are cancelled, and as many short matches are played while the service, the process that
starts its commands, or a command is killed from time to time. All must end with exit code 0, and
every pair must be stored once, with equal games wherever it was played. `--seconds 0` skips the
first part, `--kill-every 0` the second.
"""

import argparse
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import psutil

from db.records.games import GameQuery
from db.records.queue import EntryRow, NewEntry
from db.store import Store
from ladder.match.registry.builtins import sync_builtins
from ladder.queue.jobs import UNFINISHED
from ladder.runs.cluster import machine
from tests.end_to_end.traces import faults_of, lines_of

AUTHORS = {"ann": 6, "bob": 3, "cid": 1}
"""Authors and their parts of the queue."""
FIRST_SEED = 1_000_000
"""The seed of the first match that is played with kills."""
MACHINE_SLOTS, PROCESS_SLOTS = 10, 50
PAIR_S = 2.0
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Cluster:
    """A scheduler and simulated machines."""

    def __init__(self, slots: int) -> None:
        self.port = random.randrange(20000, 30000)
        words = [sys.executable, "-m", "benchmarks.fleet", "--port", str(self.port)]
        words += ["--pair-seconds", str(PAIR_S), "--machine-slots", str(MACHINE_SLOTS)]
        self.processes = [subprocess.Popen([*words, "--be", "scheduler"], **QUIET)]
        for number in range(slots // PROCESS_SLOTS):
            environment = {**os.environ, machine.NAME_VARIABLE: f"fleet-{number}"}
            worker = [*words, "--be", "worker", "--slots", str(PROCESS_SLOTS)]
            self.processes.append(subprocess.Popen(worker, env=environment, **QUIET))

    def end(self) -> None:
        """End all processes."""
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait()


class Service:
    """A service of the queue, started again after each kill."""

    def __init__(self, db: str, port: int, jobs: int, log: Path) -> None:
        self._words = [sys.executable, "-c", "from ladder.cli.main import main; main()"]
        self._words += ["queue", "work", "--db", db, "--jobs", str(jobs)]
        self._words += ["--cluster", f"127.0.0.1:{port}"]
        self._log = log
        self.start()

    def start(self) -> None:
        """Start a service."""
        with self._log.open("a") as log:
            self.process = psutil.Popen(self._words, stdout=log, stderr=log)

    def kill_something(self, chance: random.Random) -> str:
        """Kill the service or one of its commands; return which."""
        servers, commands = self.process.children(), self.commands()
        victim = chance.choices(("service", "command server", "command"), (3, 1, 6))[0]
        if victim == "command" and commands:
            chance.choice(commands).kill()
        elif victim == "command server" and servers:
            servers[0].kill()
        else:
            victim = "service"
            self.process.kill()
            self.process.wait()
            self.start()
        return victim

    def commands(self) -> list[psutil.Process]:
        """Return the processes of the commands."""
        return [each for server in self.process.children() for each in server.children()]

    def end(self) -> None:
        """Stop the service as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


def submit(store: Store, author: str, seed: int, games: int) -> EntryRow:
    """Submit a match."""
    words = "random stupid --boards 6x7 --opening-plies 0 --time 1s"
    return store.queue.add(
        NewEntry(
            command="match",
            arguments=(*shlex.split(words), "--games", str(games), "--seed", str(seed)),
            folder=str(Path.cwd()),
            author=author,
            host="benchmark",
        )
    )


def starts_of(store: Store, entry_id: int) -> list[float]:
    """Return the times at which the stored games of an entry began."""
    run_id = store.queue.get(entry_id).run_id
    if run_id is None:
        return []
    return [game.started_at for game in store.games.newest(GameQuery(run_id=run_id), 100)]


def count_pairs(store: Store) -> dict[int, int]:
    """Return the stored pairs of each run."""
    return {run: games // 2 for run, games in store.games.count_by_run().items()}


def pairs_by_author(store: Store) -> Counter[str]:
    """Return the stored pairs of each author."""
    pairs, found = count_pairs(store), Counter[str]()
    for entry in store.queue.find():
        found[entry.author] += pairs.get(entry.run_id or 0, 0)
    return found


def cpu_of(processes: Sequence[psutil.Process]) -> dict[int, float]:
    """Return the processor seconds of each process that lives."""
    found = {}
    for process in processes:
        try:
            found[process.pid] = sum(process.cpu_times()[:2])
        except psutil.NoSuchProcess:
            continue
    return found


def measure_quiet(store: Store, service: Service, asked: argparse.Namespace) -> None:
    """Print what the queue does while nothing is killed."""
    begun, before = time.monotonic(), pairs_by_author(store)
    own, commands = cpu_of([service.process]), cpu_of(service.commands())
    delays = []
    for number in range(max(1, int(asked.seconds / 20))):
        entry, submitted = submit(store, f"new{number}", 1000 + number, 2), time.time()
        while not store.queue.get(entry.id).state.is_final:
            time.sleep(0.1)
        delays.append(min(starts_of(store, entry.id)) - submitted)
        time.sleep(max(0.0, begun + 20 * (number + 1) - time.monotonic()))
    seconds = time.monotonic() - begun
    after = pairs_by_author(store)
    spent = cpu_of([service.process])[service.process.pid] - own[service.process.pid]
    now = cpu_of(service.commands())
    of_commands = [(now[pid] - commands[pid]) / seconds for pid in now.keys() & commands.keys()]
    played = {author: after[author] - before[author] for author in AUTHORS}
    total = sum(after.values()) - sum(before.values())
    print(f"{asked.slots} slots, {asked.jobs} jobs, {asked.waiting} submitted, {seconds:.0f} s:")
    print(f"  busy: {100 * total * PAIR_S / (asked.slots * seconds):.1f} % of the slots")
    for author, pairs in played.items():
        print(f"  {author}: {AUTHORS[author]} of 10 submissions, {pairs / max(1, total):.1%}")
    print(f"  service: {spent / seconds:.1%} of a processor")
    if of_commands:
        count = len(of_commands)
        print(f"  a command: {median(of_commands):.1%} of a processor (median of {count})")
    delays.sort()
    listed = ", ".join(f"{delay:.2f}" for delay in delays)
    print(f"  from submission to the first game, new author: {listed} s")
    print(f"  (median {median(delays):.2f} s, at worst {delays[-1]:.2f} s)", flush=True)


def cancel_all(store: Store) -> None:
    """Cancel all experiments, and wait for their ends."""
    for entry in store.queue.find(states=UNFINISHED):
        store.queue.cancel(entry.id)
    while store.queue.find(states=UNFINISHED):
        time.sleep(0.5)


def play_through_kills(store: Store, db: str, service: Service, asked: argparse.Namespace) -> bool:
    """Kill until all is played, print what was lost, and return whether all is well."""
    chance, kills, begun = random.Random(1), Counter[str](), time.monotonic()
    entries = [
        submit(store, author, FIRST_SEED + number, asked.kill_games)
        for number, author in enumerate(authors(asked.waiting))
    ]
    next_kill, stored_before, seconds = begun + asked.kill_every, 0, 0.0
    while store.queue.find(states=UNFINISHED) and seconds < asked.most_seconds:
        time.sleep(0.5)
        stored, seconds = sum(count_pairs(store).values()), time.monotonic() - begun
        # Only after progress: on a loaded machine a service needs longer to start.
        if time.monotonic() > next_kill and stored > stored_before:
            kills[service.kill_something(chance)] += 1
            next_kill, stored_before = time.monotonic() + asked.kill_every, stored
    ended = [store.queue.get(entry.id) for entry in entries]
    states = Counter(entry.state.value for entry in ended)
    codes = Counter(entry.exit_code for entry in ended)
    games: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for seed, number, game, _, moves, *_ in lines_of(db):
        if seed >= FIRST_SEED:
            games[number, game][moves] += 1
    stored = sum(map(Counter.total, games.values()))
    unequal = sum(len(found) > 1 for found in games.values())
    faults = faults_of(db)
    print(f"{asked.waiting} matches of {asked.kill_games} games, {seconds:.0f} s:")
    print(f"  killed: {dict(kills)}")
    print(f"  ended: {dict(states)}; exit codes: {dict(codes)}")
    print(f"  games stored: {stored} of {asked.waiting * asked.kill_games}; unequal: {unequal}")
    print(f"  pairs stored twice, and other faults: {faults or 'none'}", flush=True)
    is_complete = stored == asked.waiting * asked.kill_games
    return is_complete and codes.keys() == {0} and not unequal and not faults


def authors(number: int) -> list[str]:
    """Return the authors of so many submissions."""
    parts = [author for author, part in AUTHORS.items() for _ in range(part)]
    return [parts[each % len(parts)] for each in range(number)]


def main(words: Sequence[str] | None = None) -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description="The queue at scale.")
    parser.add_argument("--slots", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=10)
    parser.add_argument("--waiting", type=int, default=100)
    parser.add_argument("--games", type=int, default=4000, help="of each match that lasts")
    parser.add_argument("--seconds", type=float, default=120.0, help="without kills; 0: none")
    parser.add_argument("--kill-every", type=float, default=10.0, help="seconds; 0: never")
    parser.add_argument("--kill-games", type=int, default=100, help="of each match with kills")
    parser.add_argument("--most-seconds", type=float, default=1800.0, help="of the time with kills")
    parser.add_argument("--db", help="a file or URL; default a new SQLite file")
    asked = parser.parse_args(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("it was stopped"))  # everything is ended
    with tempfile.TemporaryDirectory() as folder:
        db = asked.db or str(Path(folder, "queue.db"))
        cluster, log = Cluster(asked.slots), Path(folder, "service.log")
        with Store.open(db) as store:
            sync_builtins(store)
            service, is_well = Service(db, cluster.port, asked.jobs, log), True
            try:
                if asked.seconds:
                    for number, author in enumerate(authors(asked.waiting)):
                        submit(store, author, number, asked.games)
                    while len(count_pairs(store)) < min(asked.jobs, asked.waiting):
                        time.sleep(0.5)
                    measure_quiet(store, service, asked)
                    cancel_all(store)
                if asked.kill_every:
                    is_well = play_through_kills(store, db, service, asked)
            finally:
                service.end()
                cluster.end()
    sys.exit(not is_well)


if __name__ == "__main__":
    main()
