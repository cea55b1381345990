"""Programs in Python: which files beside them count, and which interpreter runs them."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.end_to_end.conftest import FAKE_BOTS, Ladder

SPEC = "exec:python3 bot.py honest"
GAMES = ("--boards", "4x4", "--opening-plies", "0", "--simulations", "1", "--concurrency", "1")


@pytest.fixture
def script(ladder: Ladder) -> Path:
    """Register a bot in a folder that also holds a note, and return its file."""
    shutil.copy(FAKE_BOTS / "bot.py", ladder.folder)
    (ladder.folder / "notes.txt").write_text("ideas\n")
    done = ladder("bots", "add", "mine", SPEC)
    assert done.code == 0, done.err
    assert "not checked for changes: data that it opens, and installed packages" in done.out
    return ladder.folder / "bot.py"


@pytest.mark.slow
def test_files_beside_a_script_do_not_stop_a_run(ladder: Ladder, script: Path) -> None:
    """Reports, notes and other bots may come and change; an edit of the script may not."""
    (ladder.folder / "notes.txt").write_text("other ideas\n")
    (ladder.folder / "rep.json").write_text("{}")
    shutil.copy(script, ladder.folder / "other.py")
    assert ladder("match", "mine", "random", *GAMES, "--games", "2").code == 0
    again = ladder("bots", "add", "mine", SPEC)
    assert (again.code, "with the same content" in again.err) == (2, True)
    with script.open("a") as file:
        file.write("# edited\n")
    for words in (
        ("match", "mine", "random", *GAMES, "--games", "2"),
        ("bots", "add", "mine", SPEC),
    ):
        refused = ladder(*words)
        assert (refused.code, "(bot.py changed)" in refused.err) == (2, True), refused.err
        assert "--files" in refused.err
    other = ladder("bots", "add", "mine", "exec:python3 other.py honest")
    assert f"with other content (it is {SPEC})" in other.err


@pytest.mark.slow
def test_an_interpreter_that_is_found_elsewhere_is_named(ladder: Ladder, script: Path) -> None:
    """A cron job must report what a bot that was registered in a virtual environment misses."""
    del script
    place = ladder.folder / "venv"
    place.mkdir()
    (place / "python3").symlink_to(sys.executable)
    path = os.environ["PATH"]
    ladder.environment["PATH"] = f"{place}:{path}"
    assert ladder("bots", "add", "inside", SPEC).code == 0
    assert ladder("match", "inside", "random", *GAMES, "--games", "2").code == 0
    ladder.environment["PATH"] = path
    refused = ladder("match", "inside", "random", *GAMES, "--games", "2")
    assert refused.code == 2
    assert f"and was {place}/python3 when it was registered" in refused.err
    assert f"PATH={place}:$PATH" in refused.err
