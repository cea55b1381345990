"""What is left when harness and supervisor are both killed is found and cleared, and no more."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ladder.match.process.bot_process import BotProcess
from ladder.match.process.leftovers import clear_leftovers, find_leftovers
from ladder.match.process.supervisor_client import PACKAGES
from tests.support.fakes import await_none, fake_start, living, open_game
from tests.support.unconfined import UNCONFINED
from tests.support.waiting import eventually

HARNESS = """
import sys, time
from pathlib import Path
from tests.support.fakes import fake_start, open_game
from ladder.match.process.bot_process import BotProcess
from tests.support.unconfined import UNCONFINED
folder, mark = sys.argv[1:]
bot = BotProcess.start(
    fake_start("leaves-orphans", folder=Path(folder), mark=mark), UNCONFINED
)
open_game(bot)
print(bot.supervisor.popen.pid, bot.supervisor.scratch, flush=True)
time.sleep(600)
"""


@pytest.mark.slow
def test_leftovers_of_a_double_kill_are_cleared(tmp_path: Path, mark: str) -> None:
    """Orphans and the folder outlive harness and supervisor, until the next start."""
    place = tmp_path / "tmp"
    place.mkdir()
    command = [sys.executable, "-c", HARNESS, str(tmp_path), mark]
    environment = {**os.environ, "TMPDIR": str(place)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, cwd=PACKAGES, env=environment
    ) as harness:
        assert harness.stdout is not None
        supervisor, scratch = harness.stdout.readline().decode().split()
        os.kill(int(supervisor), signal.SIGSTOP)  # or it might end its bot between the two kills
        harness.kill()
        harness.wait()
    assert find_leftovers(place) == []  # it is stopped, but it lives
    os.kill(int(supervisor), signal.SIGKILL)
    eventually(lambda: find_leftovers(place))
    assert find_leftovers(place) == [Path(scratch)]
    assert living(mark)
    assert clear_leftovers(place) == 1
    assert await_none(mark, 1.0) == []
    assert not Path(scratch).exists()


def test_a_folder_that_cannot_be_removed_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does the ladder try again until its patience ends."""
    (tmp_path / "rm").symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / f"ladder-{2**30}-0123456789abcdef/file").mkdir(parents=True)
    assert clear_leftovers(tmp_path) == 1


def test_living_bots_are_not_leftovers(
    tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bots of other ladders and folders of other programs are not touched."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    others = [tmp_path / "ladder-cpu-0-1.lock", tmp_path / "ladder-1-0123456789abcdeX"]
    for other in others:
        other.mkdir()
    start = fake_start("honest", folder=tmp_path, mark=mark)
    with BotProcess.start(start, UNCONFINED) as bot:
        open_game(bot)
        assert clear_leftovers() == 0
        assert bot.supervisor.scratch.exists()
        open_game(bot)
    assert all(other.exists() for other in others)
