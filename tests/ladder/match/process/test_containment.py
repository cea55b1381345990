"""Nothing that a bot has started lives on after its end, whatever was killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ladder.errors import MachineStalled
from ladder.match.process.supervisor_client import PACKAGES
from tests.support.fakes import StartFake, await_none, first_move, open_game


def test_what_a_killed_supervisor_leaves_ends_with_the_game(
    start_fake: StartFake, mark: str
) -> None:
    """The kernel may kill a supervisor when memory is short: no process of its bot survives."""
    bot = start_fake("leaves-orphans")
    open_game(bot)
    first_move(bot)
    os.kill(bot.supervisor.popen.pid, signal.SIGKILL)
    while not bot.is_unusable():  # a quick bot may still answer
        time.sleep(0.001)
    with pytest.raises(MachineStalled, match="its supervisor was killed"):
        first_move(bot)
    assert await_none(mark, 0) == []


RUN = """
import os, signal, sys
from pathlib import Path
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.worker_pool import WorkerDied, WorkerPool
from tests.support.fakes import fake_start, open_game
from tests.support.unconfined import UNCONFINED

def play(folder, mark):
    bot = BotProcess.start(
        fake_start("leaves-orphans", folder=Path(folder), mark=mark), UNCONFINED
    )
    open_game(bot)
    for pid in (bot.supervisor.popen.pid, os.getpid()):
        os.kill(pid, signal.SIGKILL)

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
def test_the_coordinator_kills_what_a_killed_worker_leaves(tmp_path: Path, mark: str) -> None:
    """It finds them by the scratch folder of a harness that has ended."""
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
