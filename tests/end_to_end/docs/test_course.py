"""docs/course.md, followed word for word by a shell."""

import re
import subprocess

import pytest

from tests.end_to_end.conftest import ROOT, Ladder
from tests.support.data.repositories import repository

PAGE = (ROOT / "docs" / "course.md").read_text()
SHORTER = {
    "--games 2000": "--games 6 --simulations 20",
    "random v1 v4 v12": "random v1",
    "v4=1500": "v1=1500",
    "ladder analyze": "ladder analyze --nodes 2000",
    "--analyze": "--analyze --nodes 2000",
}
"""Fewer games, and work in place of time, which a loaded machine would disturb."""
HONEST = "def agent(observation, configuration):\n    return observation.board.index(0)\n"
CRASHING = HONEST.replace("return", "return 1 / (observation.step < 9) and")
ILLEGAL = "def agent(observation, configuration):\n    return 99\n"


@pytest.mark.very_slow
def test_the_page_leads_to_a_list_and_letters(ladder: Ladder) -> None:
    """Bots from git are stored, failing ones named, and each student gets what to mend."""
    for name, text in (("ann", HONEST), ("bob", CRASHING), ("cyd", ILLEGAL)):
        repository(ladder.folder / "from" / name, {"bot.py": text})
    names = ("ann", "bob", "cyd")
    (ladder.folder / "students.txt").write_text(
        "".join(f"{name} {ladder.folder}/from/{name}\n" for name in names)
    )
    (ladder.folder / "ladder.toml").write_text(
        "".join(re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL))
    )
    script = "\n".join(re.findall(r"follows the page -->\n```sh\n(.*?)```", PAGE, re.DOTALL))
    for long, short in SHORTER.items():
        script = script.replace(long, short)
    done = subprocess.run(
        ["bash", "-c", script], cwd=ladder.folder, env=ladder.environment, text=True,
        capture_output=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "2 registered, 1 failed:\n  s-cyd (kaggle:bot.py): the bot failed" in done.stdout
    assert {"s-ann", "s-bob", "v1"} <= {*re.findall(r"^ *\d+ +([\w-]+) ", done.stdout, re.M)}
    assert (ladder.folder / "class.html").stat().st_size > 10_000
    letter = (ladder.folder / "letter-bob.txt").read_text()
    assert "ZeroDivisionError" in letter
    assert "no registered bot is called 's-cyd'" in (ladder.folder / "letter-cyd.txt").read_text()
