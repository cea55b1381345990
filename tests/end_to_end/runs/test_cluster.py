"""Many machines: a real scheduler and real workers on loopback, under certificates."""

import re
import shutil
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import descendants_of_session, faults_of, lines_of, query
from tests.end_to_end.twins import untimed
from tests.support.command_server import ForkedCommand
from tests.support.fakes import FAKE_BOT
from tests.support.shared import made_once

PLAYED = (
    "run", "--bots", "steady,random,stupid", "--boards", "4x4", "--simulations", 1, "--seed", 1,
)  # fmt: skip
GAMES = ("--games", 40)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


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
        assert ladder("cluster", "certificates", "set").code == 0
        self.reach = (f"127.0.0.1:{self.port}", "--certificates", "set")
        self.started: list[ForkedCommand] = []
        self.scheduler = self.start_scheduler()

    def start_scheduler(self) -> ForkedCommand:
        return self.start("cluster", "start", "--port", self.port, "--certificates", "set")

    def start_worker(self, name: str, slots: int) -> ForkedCommand:
        return self.start("worker", *self.reach, "--name", name, "--slots", slots)

    def start(self, *words: object) -> ForkedCommand:
        self.started.append(self.ladder.start(*words))
        return self.started[-1]

    def end(self) -> list[int]:
        """Return the exit codes of all, which are told to end."""
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        return [self.ladder.finish(process).code for process in self.started]


@pytest.mark.slow
def test_a_run_on_machines_plays_the_games_of_one_machine(
    ladder: Ladder, alone: list[Any], eventually: Callable[[Callable[[], bool]], None]
) -> None:
    """Under a work budget equal game for game, though a worker is killed and the scheduler too.

    Nothing may be lost, stored twice or left behind, and the bot that came from a file must have
    played from the copy that was sent.
    """
    ladder.stock()
    finished = "select count(*) from pairs where status = 'finished'"
    with ladder.slow():
        machines = Machines(ladder)
        first = machines.start_worker("alpha", 2)
        run = ladder.start(*PLAYED, *GAMES, "--cluster", *machines.reach)
        eventually(lambda: query(ladder.folder, finished)[0][0] >= 2)
        machines.start_worker("beta", 1)
        first.send_signal(signal.SIGKILL)
        ladder.finish(first)
        before = query(ladder.folder, finished)[0][0]
        eventually(lambda: query(ladder.folder, finished)[0][0] >= before + 2)
        machines.scheduler.send_signal(signal.SIGKILL)
        machines.start_scheduler()
    done = ladder.finish(run)
    assert done.code == 0, done.err
    assert lines_of(ladder.folder) == alone
    assert faults_of(ladder.folder) == []
    assert re.search(r"alpha has joined with 2 slots .*: 1 machine, 2 slots", done.err), done.err
    assert "alpha has left" in done.err
    assert "beta has joined" in done.err
    assert "warning: alpha has joined" not in done.err
    assert "warning: beta has joined" not in done.err
    assert "Traceback" not in done.err
    assert machines.end() == [-9, -9, 0, 0]
    for process in machines.started:
        eventually(lambda pid=process.pid: descendants_of_session(pid) == [])  # type: ignore[misc]


@pytest.mark.slow
def test_a_machine_leaves_after_its_pairs(
    ladder: Ladder, alone: list[Any], eventually: Callable[[Callable[[], bool]], None]
) -> None:
    """The first Ctrl-C finishes the pair in play; another machine plays the rest."""
    ladder.stock()
    finished = "select count(*) from pairs where status = 'finished'"
    with ladder.slow():
        machines = Machines(ladder)
        worker = machines.start_worker("alpha", 1)
        run = ladder.start(*PLAYED, *GAMES, "--cluster", *machines.reach)
        eventually(lambda: query(ladder.folder, finished)[0][0] >= 1)
        machines.started.remove(worker)
        worker.send_signal(signal.SIGINT)
        left = ladder.finish(worker)
        assert left.code == 0, left.err
        assert re.search(r"Ctrl-C: finishing [01] pairs? in play, then leaving", left.err)
        machines.start_worker("beta", 1)
    done = ladder.finish(run)
    assert done.code == 0, done.err
    assert "alpha has left: 0 machines, 0 slots" in done.err
    assert lines_of(ladder.folder) == alone
    assert faults_of(ladder.folder) == []
    assert machines.end() == [0, 0]


@pytest.mark.very_slow
def test_a_frozen_worker_and_a_killed_coordinator_change_no_game(
    ladder: Ladder, alone: list[Any], eventually: Callable[[Callable[[], bool]], None]
) -> None:
    """A worker is stopped with a pair in play, the coordinator killed, and both continue.

    The same command must finish with the same worker; no pair is lost or stored twice.
    """
    ladder.stock()
    finished = "select count(*) from pairs where status = 'finished'"
    with ladder.slow():
        machines = Machines(ladder)
        worker = machines.start_worker("alpha", 2)
        words = (*PLAYED, *GAMES, "--cluster", *machines.reach)
        run = ladder.start(*words)
        eventually(lambda: query(ladder.folder, finished)[0][0] >= 2)
        worker.send_signal(signal.SIGSTOP)
        run.kill()
        ladder.finish(run)
        before = query(ladder.folder, finished)[0][0]
        run = ladder.start(*words)
        worker.send_signal(signal.SIGCONT)
        eventually(lambda: query(ladder.folder, finished)[0][0] > before)
    done = ladder.finish(run)
    assert done.code == 0, done.err
    assert lines_of(ladder.folder) == alone
    assert faults_of(ladder.folder) == []
    assert len(query(ladder.folder, "select id from runs")) == 1
    assert machines.end() == [0, 0]


@pytest.mark.very_slow
def test_a_bot_that_is_not_repeatable_is_reported(ladder: Ladder) -> None:
    """A bot from outside that draws its own chance is named, and the only machine is not."""
    folder = ladder.stock().folder
    shutil.copy(FAKE_BOT, folder / "bot.py")
    added = ladder("bots", "add", "unsteady", f"exec:{sys.executable} -I -S bot.py unsteady")
    assert added.code == 0, added.err
    machines = Machines(ladder)
    machines.start_worker("alpha", 1)
    played = ("run", "--bots", "unsteady,random", "--boards", "6x7", "--simulations", 1)
    done = ladder(*played, "--games", 60, "--seed", 3, "--cluster", *machines.reach)
    assert done.code == 0, done.err
    assert "under a work budget: random or unsteady is not deterministic" in done.err
    assert "set aside" not in done.err
    assert query(folder, "select count(*) from pairs where status = 'finished'") == [(30,)]
    assert faults_of(folder) == []
    machines.end()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("worker", "lab1"), "ladder cluster certificates"),
        (("cluster", "start", "--host", "10.0.0.1"), "ladder cluster certificates"),
        ((*PLAYED, "--cluster", "lab1"), "ladder cluster certificates"),
        ((*PLAYED, "--cluster", "localhost", "--concurrency", 2), "--slots"),
    ],
)
def test_an_address_on_the_network_without_certificates_is_refused(
    ladder: Ladder, words: tuple[object, ...], sentence: str
) -> None:
    """The command ends with exit code 2 before anything starts."""
    done = ladder.stock()(*words)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err


@pytest.mark.very_slow
def test_a_tuning_on_machines_ends_as_on_one_machine(ladder: Ladder) -> None:
    """Settings travel with their pairs: the steps, the values and the gate must be equal."""
    tuned = (
        "tune", "exec:env X={x} python3 -I -S stacker.py", "--param", "x=0..0.3..1", "--games",
        8, "--pairs", 2, "--boards", "6x7", "--opening-plies", 0, "--simulations", 1, "--seed", 5,
        "--max-games", 4, "--json",
    )  # fmt: skip
    shutil.copy(FAKE_BOT.parent / "stacker.py", ladder.folder)
    alone = ladder.stock()(*tuned)
    assert alone.code in (0, 3, 4), alone.err
    ladder.stock()
    machines = Machines(ladder)
    machines.start_worker("alpha", 1)
    done = ladder(*tuned, "--cluster", *machines.reach)
    assert done.code == alone.code, done.err
    assert "warning: alpha" not in done.err
    assert untimed(done.document) == untimed(alone.document)
    assert faults_of(ladder.folder) == []
    machines.end()
