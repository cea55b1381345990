"""The trial of `ladder bots add` leaves what the bot wrote to its stderr."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.ladder.cli.conftest import Command
from tests.support.fakes import FAKE_BOT


@pytest.mark.slow
def test_a_trial_leaves_a_log_of_its_bot(ladder: Command) -> None:
    """It lies with those of the runs, has the bot's name, and a bot without output leaves none."""
    program = f"exec:{sys.executable} -I -S {shutil.copy(FAKE_BOT, Path.cwd())}"
    logs = Path("ladder.db.logs")
    assert ladder("bots", "add", "quiet", f"{program} honest").code == 0
    assert not logs.exists()
    assert ladder("bots", "add", "guest", f"{program} exits-at-once").code == 2
    written = list((logs / "trial").iterdir())
    assert written
    for log in written:  # of the stored files, and of the original folder
        assert log.name.startswith("guest-")
        assert log.name.endswith(".forfeit.log")
        assert log.read_text() == "cannot find my weights\n"
