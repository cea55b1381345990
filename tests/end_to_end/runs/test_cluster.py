"""Many machines: a real `dask scheduler` and real workers on loopback, under TLS."""

import re
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import psutil
import pytest

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import descendants_of_session, faults_of, lines_of, query
from tests.support.cluster import free_port, make_certificates, start_scheduler
from tests.support.command_server import ForkedCommand
from tests.support.fakes import FAKE_BOT
from tests.support.shared import made_once
from tests.support.waiting import eventually

PLAYED = (
    "run", "--bots", "steady,random,stupid", "--boards", "4x4", "--simulations", 1, "--seed", 1,
)  # fmt: skip
GAMES = ("--games", 24)


@pytest.fixture(scope="session")
def alone() -> list[Any]:
    """Return the games of a run on one machine."""

    def play(folder: Path) -> None:
        done = Ladder(folder).stock()(*PLAYED, *GAMES)
        assert done.code == 0, done.err

    return lines_of(made_once("run-on-one-machine", play))


class Machines:
    """A scheduler and the workers that were started at it."""

    def __init__(self, ladder: Ladder) -> None:
        self.ladder = ladder
        self.port = free_port()
        self.tls = make_certificates(ladder.folder)
        self.reach = (f"127.0.0.1:{self.port}", *self.tls)
        self.started: list[ForkedCommand] = []
        self.scheduler = self.start_scheduler()

    def start_scheduler(self) -> "subprocess.Popen[bytes]":
        return start_scheduler(self.port, self.tls, self.ladder.folder / "scheduler.log")

    def start_worker(self, slots: int) -> ForkedCommand:
        self.started.append(self.ladder.start("worker", *self.reach, "--slots", slots))
        return self.started[-1]

    def finished(self) -> int:
        """Return the number of stored pairs."""
        sql = "select count(*) from pairs where status = 'finished'"
        return int(query(self.ladder.folder, sql)[0][0])

    def end(self) -> list[int]:
        """Return the exit codes of the workers, which are told to end."""
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        codes = [self.ladder.finish(process).code for process in self.started]
        self.scheduler.terminate()
        self.scheduler.wait()
        return codes


def supervisors_below(worker: int) -> list[int]:
    """Return the parents of bots in the slots of a worker."""
    found = []
    for each in psutil.Process(worker).children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
            if each.name() == "ladder-guard":
                found.append(each.pid)
    return found


@pytest.mark.slow
def test_a_run_on_machines_plays_the_games_of_one_machine(ladder: Ladder, alone: list[Any]) -> None:
    """Under a work budget equal game for game, though workers and the scheduler are killed.

    Nothing may be lost, stored twice or left behind, the worker that stays must end the bots at
    once, and the bot that came from a file must have played from the copy that was sent.
    """
    ladder.stock()
    with ladder.slow():
        machines = Machines(ladder)
        first = machines.start_worker(2)
        run = ladder.start(*PLAYED, *GAMES, "--cluster", *machines.reach)

        def printed(words: str) -> bool:
            return words in "".join(run.printed_lines(err=True))

        eventually(lambda: printed("the cluster has 1 worker with 2 slots"))
        eventually(lambda: machines.finished() >= 2)
        machines.start_worker(1)
        first.send_signal(signal.SIGKILL)
        first.wait(60)
        before = machines.finished()
        eventually(lambda: machines.finished() >= before + 2)
        machines.scheduler.kill()
        machines.scheduler.wait()
        eventually(lambda: printed("does not answer"))
        machines.scheduler = machines.start_scheduler()
        eventually(lambda: printed("answers again"))
    done = ladder.finish(run)
    assert done.code == 0, done.err
    assert lines_of(ladder.folder) == alone
    assert faults_of(ladder.folder) == []
    assert "warning: the cluster has" not in done.err
    assert "no worker has joined" not in done.err.partition("does not answer")[2]
    assert "Traceback" not in done.err
    assert machines.started[-1].poll() is None
    soon = time.monotonic() + 30  # half the time after which idle bots end in any case
    eventually(lambda: supervisors_below(machines.started[-1].pid) == [])
    assert time.monotonic() < soon
    assert machines.end() == [-9, 0]
    for process in machines.started:
        eventually(lambda pid=process.pid: descendants_of_session(pid) == [])  # type: ignore[misc]


@pytest.mark.very_slow  # the first test kills what this one asks to leave
def test_a_worker_leaves_after_its_pairs(ladder: Ladder, alone: list[Any]) -> None:
    """The first Ctrl-C finishes the pair in play; another worker plays the rest.

    Meanwhile the page of the run links to Dask's dashboard.
    """
    ladder.stock()
    with ladder.slow():
        machines = Machines(ladder)
        worker = machines.start_worker(1)
        run = ladder.start(*PLAYED, *GAMES, "--cluster", *machines.reach)
        eventually(lambda: machines.finished() >= 1)
        site, address = ladder.serve()
        with urlopen(f"{address}runs/1") as page:  # noqa: S310 - our own server
            text = page.read().decode()
        assert re.search(r'href="http://127.0.0.1:\d+/status">Dashboard of the cluster', text), text
        site.send_signal(signal.SIGTERM)
        ladder.finish(site)
        machines.started.remove(worker)
        worker.send_signal(signal.SIGINT)
        left = ladder.finish(worker)
        assert left.code == 0, left.err
        assert re.search(r"Ctrl-C: finishing [01] pairs? in play, then leaving", left.err)
        machines.start_worker(1)
    done = ladder.finish(run)
    assert done.code == 0, done.err
    assert lines_of(ladder.folder) == alone
    assert faults_of(ladder.folder) == []
    assert machines.end() == [0]


@pytest.mark.slow
def test_a_cluster_that_cannot_play_is_refused(ladder: Ladder) -> None:
    """The command ends with exit code 2 before there is a run."""
    done = ladder.stock()(*PLAYED, "--cluster", "127.0.0.1:1")
    assert (done.code, done.out) == (2, "")
    assert "no Dask scheduler answers at tcp://127.0.0.1:1 within 15 s" in done.err
    assert query(ladder.folder, "select id from runs") == []


@pytest.mark.very_slow
def test_a_tuning_on_machines_ends_as_on_one_machine(ladder: Ladder) -> None:
    """Settings travel with their pairs: the steps, the values and the gate must be equal."""
    tuned = (
        "tune", "exec:env X={x} python3 -I -S stacker.py", "--files", "stacker.py", "--param",
        "x=0..0.3..1", "--games", 8, "--pairs", 2, "--boards", "6x7", "--opening-plies", 0,
        "--simulations", 1, "--seed", 5, "--max-games", 4, "--json",
    )  # fmt: skip
    shutil.copy(FAKE_BOT.parent / "stacker.py", ladder.folder)
    alone = ladder.stock()(*tuned)
    assert alone.code in (0, 3, 4), alone.err
    ladder.stock()
    machines = Machines(ladder)
    machines.start_worker(1)
    done = ladder(*tuned, "--cluster", *machines.reach)
    assert done.code == alone.code, done.err
    assert "takes no part" not in done.err
    assert done.document == alone.document
    assert faults_of(ladder.folder) == []
    machines.end()
