"""A user's own modules that are called like the packages of the program."""

import subprocess
import sys
from pathlib import Path

import pytest

from ladder.own_process import own_command
from tests.end_to_end.conftest import FAKE_BOTS, Ladder
from tests.support.hosted import BOT, LEGAL, compiled

NAMES = ("engine", "bots", "db", "ladder", "reports")
MINE = "import {}\nassert engine.MINE == bots.MINE == db.MINE == ladder.MINE == reports.MINE\n"
AGENT = "def agent(obs):\n    return [c for c in range(7) if obs.board[c] == 0][0]\n"
SPECS = {
    "exec": f"exec:{sys.executable} fake.py honest",
    "python": "python:player.py:Bot",
    "kaggle": "kaggle:submission.py",
    "saiblo": f"saiblo:{sys.executable} course.py",
    "thu": "thu:strategy.so",
    "builtin": "builtin:stupid",
}
SHORT = ("--opening-plies", "0", "--time", "100ms", "--concurrency", "1", "--margin", "60s")


def in_own_interpreter(ladder: Ladder, *words: str) -> str:
    done = subprocess.run(
        [*own_command("ladder.cli.main"), *words],
        cwd=ladder.folder,
        env=ladder.environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


@pytest.mark.slow
def test_a_users_modules_may_be_called_like_ours(ladder: Ladder) -> None:
    """Commands, workers and hosts import the program's packages, and bots those of their author."""
    mine = MINE.format(", ".join(NAMES))
    for name in NAMES:
        (ladder.folder / f"{name}.py").write_text("MINE = 1\n")
    (ladder.folder / "player.py").write_text(mine + LEGAL + BOT.partition("\n\n")[2])
    (ladder.folder / "submission.py").write_text(mine + AGENT)
    for file, source in (("fake.py", "bot.py"), ("course.py", "course_program.py")):
        (ladder.folder / file).write_text(mine + (FAKE_BOTS / source).read_text())
    compiled(ladder.folder)
    root = Path(__file__).resolve().parents[3]
    ladder.environment["PYTHONPATH"] = f".:{root}"
    in_own_interpreter(ladder, "bots", "add", "exec", SPECS["exec"])
    for name, spec in SPECS.items():
        if name != "exec":  # the others' processes are started by a fork
            assert ladder("bots", "add", name, spec).code == 0
    for bots, boards in (("exec,python,kaggle,builtin", "6x7"), ("saiblo,thu", "9x9")):
        words = ("run", "--bots", bots, "--boards", boards, *SHORT, "--games", "4", "--json")
        if "exec" in bots:
            in_own_interpreter(ladder, *words)
        else:
            assert ladder(*words).code == 0
    assert ladder("games", "--forfeit", "--json").document["games"] == []
