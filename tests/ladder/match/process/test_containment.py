"""Nothing that a bot has started lives on after its end, whatever it has changed or killed."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from bots.protocol import MoveAsk
from ladder.errors import BotCrash, BotTimeout
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.cgroups import find_parent_group
from ladder.match.process.confinement import Facilities
from ladder.match.process.leftovers import clear_leftovers
from ladder.match.process.orphans import end_orphans
from ladder.match.process.supervisor_client import PACKAGES
from tests.support.fakes import StartFake, await_none, fake_start, first_move, living, open_game
from tests.support.unconfined import UNCONFINED

ANY = [
    Facilities(groups=groups, signal_scope=scope)
    for groups in (False, True)
    for scope in (False, True)
]
NO_SCOPE = Facilities(signal_scope=False)
needs_groups = pytest.mark.skipif(
    find_parent_group() is None,
    reason="this user may create no control groups",
)


def play_until_it_fails(bot: BotProcess, timeout_s: float) -> None:
    """Ask for a first move and, until the timeout, again and again for the next."""
    bot.ask(MoveAsk(ply=0, moves=()), timeout_s=timeout_s)
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        bot.ask(MoveAsk(ply=2, moves=(0, 0)), timeout_s=timeout_s)
        time.sleep(0.01)


@pytest.mark.parametrize("facilities", ANY, ids=str)
@pytest.mark.parametrize("mode", ["", "clings"])
def test_a_process_that_kills_its_supervisor_ends_with_its_game(
    start_fake: StartFake, mark: str, mode: str, facilities: Facilities
) -> None:
    """A program with another session, parent and HOME ends no later than its bot.

    With "clings" the bot survives its supervisor, and is killed at the next question.
    """
    bot = start_fake("escapes", mode, facilities=facilities)
    open_game(bot)
    if not facilities.signal_scope:
        with pytest.raises(BotCrash, match="its supervisor was killed"):
            play_until_it_fails(bot, 60)
    else:
        with contextlib.suppress(BotTimeout):  # its supervisor lives, and only "clings" answers
            play_until_it_fails(bot, 0.5)
    bot.kill()
    assert await_none(mark, 0) == []


def test_a_bot_cannot_signal_its_supervisor(start_fake: StartFake) -> None:
    """With Landlock (Linux 6.12) the attempt fails and the supervisor lives."""
    bot = start_fake("kills-supervisor")
    open_game(bot)
    with pytest.raises(BotCrash, match=r"PermissionError|its supervisor was killed"):
        first_move(bot)


RUN = """
import sys, time
from dataclasses import replace
from pathlib import Path
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.confinement import Facilities
from ladder.match.process.worker_pool import WorkerDied, WorkerPool
from tests.support.fakes import fake_start, first_move, open_game
from tests.support.unconfined import UNCONFINED

def play(folder, mark):
    bot = BotProcess.start(
        fake_start("escapes", "worker", folder=Path(folder), mark=mark),
        replace(UNCONFINED, facilities=Facilities(groups=False, signal_scope=False)),
    )
    open_game(bot)
    first_move(bot)

if __name__ == "__main__":
    pool = WorkerPool(1)
    future = pool.call(play, *sys.argv[1:])
    while not future.done():
        pool.wait(1)
    print(type(future.exception()).__name__, flush=True)
    sys.stdin.read()
    pool.close()
"""


@pytest.mark.slow
def test_the_coordinator_kills_orphans_of_a_killed_worker(tmp_path: Path, mark: str) -> None:
    """The coordinator becomes the parent of the orphans of a killed worker."""
    program = tmp_path / "run.py"
    program.write_text(RUN)
    with subprocess.Popen(
        [sys.executable, str(program), str(tmp_path), mark],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PACKAGES},
    ) as coordinator:
        assert coordinator.stdout is not None
        assert coordinator.stdout.readline() == b"WorkerDied\n"
        assert await_none(mark, 1.0) == []


def test_children_of_this_process_are_not_orphans(start_fake: StartFake) -> None:
    """The ladder's own programs in other sessions, and supervisors, are not killed."""
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as own:
        bot = start_fake("leaves-orphans")
        open_game(bot)
        assert end_orphans()
        assert own.poll() is None
        first_move(bot)
        own.kill()


HARNESS = """
import sys, time
from pathlib import Path
from tests.support.fakes import fake_start, open_game
from tests.support.unconfined import UNCONFINED
from ladder.match.process.bot_process import BotProcess
from bots.protocol import MoveAsk
folder, mark = sys.argv[1:]
bot = BotProcess.start(fake_start("escapes", folder=Path(folder), mark=mark), UNCONFINED)
open_game(bot)
print(bot.supervisor_pid, flush=True)
bot.send(MoveAsk(ply=0, moves=()))
time.sleep(600)
"""


@pytest.mark.slow
@needs_groups
def test_the_next_run_ends_what_a_double_kill_leaves(tmp_path: Path, mark: str) -> None:
    """A process without supervisor, harness and HOME is found by its control group."""
    place = tmp_path / "tmp"
    place.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", HARNESS, str(tmp_path), mark],
        stdout=subprocess.PIPE,
        cwd=PACKAGES,
        env={**os.environ, "TMPDIR": str(place)},
    ) as harness:
        assert harness.stdout is not None
        supervisor = int(harness.stdout.readline())
        deadline = time.monotonic() + 10
        while len(living(mark)) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(supervisor, signal.SIGSTOP)  # or it might end its bot between the two kills
        harness.kill()
        harness.wait()
    os.kill(supervisor, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while clear_leftovers(place) == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert await_none(mark, 1.0) == []
    end_orphans()


def test_privileged_programs_keep_their_privileges(tmp_path: Path) -> None:
    """A setuid sandbox keeps its rights; all other programs can gain none."""
    wrapper = tmp_path / "wrapper"
    wrapper.write_text('#!/bin/sh\ngrep NoNewPrivs /proc/self/status >&2\nexec "$@"\n')
    for mode, expected in ((0o755, "NoNewPrivs:\t1"), (0o4755, "NoNewPrivs:\t0")):
        wrapper.chmod(mode)
        with BotProcess.start(
            fake_start("exits", folder=tmp_path),
            replace(UNCONFINED, sandbox=(str(wrapper),), facilities=NO_SCOPE),
        ) as bot:
            open_game(bot)
            with pytest.raises(BotCrash, match=expected):
                first_move(bot)
