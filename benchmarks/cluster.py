"""A run on two machines that are disturbed, against the same run on one machine in peace.

    python -m benchmarks.cluster --games 3000 --kill-every 10 --freeze 60 --cut 20 \\
        --kill-scheduler --kill-coordinator

The machines are network namespaces of this one where that is possible (as root, with `ip`), each
with a worker of its own; else two workers on loopback. The games must be equal one by one, each
pair stored once, and no process left behind.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.end_to_end.traces import faults_of, lines_of, query
from tests.support.cluster import make_certificates

ROOT = Path(__file__).resolve().parents[1]
COMMAND = (sys.executable, "-c", "from ladder.cli.main import main; main()")
PORT = 18786
BRIDGE, HOST = "ladder-br", "10.77.0.1"
NAMES = ("ladder-a", "ladder-b")
COUNTED = ("workers killed", "workers frozen", "cuts", "schedulers killed", "coordinators killed")
FINISHED = "select count(*) from pairs where status = 'finished'"


class Place:
    """The processes of one demonstration and their folder."""

    def __init__(self, folder: Path, *, namespaces: bool) -> None:
        self.folder = folder
        self.namespaces = namespaces
        self.host = HOST if namespaces else "127.0.0.1"
        self.reach = (f"{self.host}:{PORT}", *make_certificates(folder))
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.log = (folder / "log.txt").open("ab")
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(folder / "tmp"),
        }
        (folder / "tmp").mkdir()

    def start(
        self, *words: object, command: tuple[str, ...] = COMMAND, inside: str = ""
    ) -> "subprocess.Popen[bytes]":
        """Start a command in a new session, optionally in a namespace."""
        prefix = ("ip", "netns", "exec", inside) if inside else ()
        return subprocess.Popen(
            [*prefix, *command, *map(str, words)],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )

    def start_scheduler(self) -> None:
        """Start a scheduler on the bridge."""
        words = ("--host", self.host, "--port", PORT, *self.reach[1:])
        self.scheduler = self.start(*words, command=(sys.executable, "-m", "dask", "scheduler"))

    def start_worker(self, name: str, slots: int) -> None:
        """Start a worker in its namespace."""
        inside = name if self.namespaces else ""
        self.workers[name] = self.start("worker", *self.reach, "--slots", slots, inside=inside)

    def end(self) -> None:
        """Stop scheduler and workers in good order."""
        processes = [*self.workers.values(), *([self.scheduler] if self.scheduler else [])]
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(20)

    def left_behind(self) -> list[str]:
        """Return processes whose temporary files are still in the folder."""
        mark = f"TMPDIR={self.folder}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    if mark in (entry / "environ").read_bytes():
                        found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
                except OSError:
                    continue
        return found


def ip(*words: str) -> None:
    """Run the program `ip`."""
    subprocess.run(["ip", *words], check=True, capture_output=True)


@contextmanager
def networks(names: tuple[str, ...], *, wanted: bool = True) -> Iterator[bool]:
    """Make network namespaces on a bridge and yield whether that was possible."""
    if not wanted or os.geteuid() or shutil.which("ip") is None:
        yield False
        return
    try:
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("addr", "add", f"{HOST}/24", "dev", BRIDGE)
        ip("link", "set", BRIDGE, "up")
        for number, name in enumerate(names, start=2):
            ip("netns", "add", name)
            ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", name, "master", BRIDGE, "up")
            ip("-n", name, "addr", "add", f"10.77.0.{number}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield True
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
        subprocess.run(["ip", "link", "del", BRIDGE], check=False, capture_output=True)


def disturb(
    place: Place,
    run: "subprocess.Popen[bytes]",
    words: tuple[object, ...],
    asked: argparse.Namespace,
) -> dict[str, int]:
    """Disturb a run until it has ended in good order; return the counts of disturbances."""
    chance = random.Random(asked.seed)
    did = dict.fromkeys(COUNTED, 0)
    next_kill = time.monotonic() + asked.kill_every
    total = asked.games // 2
    while True:
        code = run.poll()
        if code is not None and code != -signal.SIGKILL:
            assert code == 0, f"the run ended with {code}: see {place.folder}/log.txt"
            return did
        done = query(place.folder, FINISHED)[0][0] if (place.folder / "ladder.db").exists() else 0
        if code is not None:
            run = place.start(*words)
        elif asked.kill_coordinator and done > total * 0.7 and not did["coordinators killed"]:
            run.kill()
            did["coordinators killed"] += 1
        elif asked.kill_scheduler and done > total * 0.5 and not did["schedulers killed"]:
            assert place.scheduler is not None
            place.scheduler.kill()
            place.scheduler.wait()
            time.sleep(2)
            place.start_scheduler()
            did["schedulers killed"] += 1
        elif asked.freeze and done > total * 0.2 and not did["workers frozen"]:
            place.workers[NAMES[1]].send_signal(signal.SIGSTOP)
            time.sleep(asked.freeze)
            place.workers[NAMES[1]].send_signal(signal.SIGCONT)
            did["workers frozen"] += 1
        elif asked.cut and place.namespaces and done > total * 0.3 and not did["cuts"]:
            ip("link", "set", NAMES[0], "down")
            time.sleep(asked.cut)
            ip("link", "set", NAMES[0], "up")
            did["cuts"] += 1
        elif asked.kill_every and time.monotonic() > next_kill:
            name = chance.choice(NAMES)
            place.workers[name].kill()
            place.workers[name].wait()
            place.start_worker(name, asked.slots)
            did["workers killed"] += 1
            next_kill = time.monotonic() + asked.kill_every
        time.sleep(0.2)


def main() -> None:
    """Play undisturbed, then disturbed, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--bots", default="random,stupid,v1,v4")
    parser.add_argument("--simulations", type=int, default=2000)
    parser.add_argument("--slots", type=int, default=1, help="of each worker")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kill-every", type=float, default=0, help="seconds; 0: never")
    parser.add_argument("--freeze", type=float, default=0, help="seconds of SIGSTOP; 0: never")
    parser.add_argument("--cut", type=float, default=0, help="seconds without network; 0: never")
    parser.add_argument("--kill-scheduler", action="store_true")
    parser.add_argument("--kill-coordinator", action="store_true")
    parser.add_argument("--loopback", action="store_true", help="no network namespaces")
    asked = parser.parse_args()
    words = (
        "run", "--bots", asked.bots, "--boards", "6x7", "--simulations", asked.simulations,
        "--games", asked.games, "--seed", asked.seed,
    )  # fmt: skip
    with (
        tempfile.TemporaryDirectory(prefix="cluster-") as name,
        networks(NAMES, wanted=not asked.loopback) as apart,
    ):
        alone, many = Path(name, "alone"), Path(name, "many")
        alone.mkdir()
        many.mkdir()
        print("two network namespaces" if apart else "two workers on loopback", flush=True)
        quiet, place = Place(alone, namespaces=False), Place(many, namespaces=apart)
        begun = time.monotonic()
        assert quiet.start(*words).wait() == 0, (alone / "log.txt").read_text()
        print(f"one machine: {asked.games} games in {time.monotonic() - begun:.0f} s", flush=True)
        place.start_scheduler()
        for machine in NAMES:
            place.start_worker(machine, asked.slots)
        begun = time.monotonic()
        played = (*words, "--cluster", *place.reach)
        try:
            did = disturb(place, place.start(*played), played, asked)
            seconds = time.monotonic() - begun
        finally:
            place.end()
            lines = [
                line
                for line in (many / "log.txt").read_text().splitlines()
                if "warning" in line or "the cluster has" in line
            ]
            print("\n".join(lines), flush=True)
        print(f"two machines: {asked.games} games in {seconds:.0f} s; {did}")
        same = lines_of(many) == lines_of(alone)
        print(f"equal game for game: {same}; faults: {faults_of(many)}")
        deadline = time.monotonic() + 10
        while place.left_behind() and time.monotonic() < deadline:
            time.sleep(0.2)
        print(f"left behind: {place.left_behind()}")
        missed = [word for word, count in did.items() if not count and wanted(asked, apart)[word]]
        print(f"asked for and not done before the run had ended: {missed}")
        sys.exit(not same or bool(faults_of(many)) or bool(place.left_behind()) or bool(missed))


def wanted(asked: argparse.Namespace, apart: bool) -> dict[str, bool]:
    """Return the disturbances that must have happened for a valid demonstration."""
    return {
        "workers killed": bool(asked.kill_every),
        "workers frozen": bool(asked.freeze),
        "cuts": bool(asked.cut) and apart,
        "schedulers killed": bool(asked.kill_scheduler),
        "coordinators killed": bool(asked.kill_coordinator),
    }


if __name__ == "__main__":
    main()
