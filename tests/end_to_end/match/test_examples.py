"""The example bots: short, legal, and better than random."""

import itertools
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.conftest import ROOT, Ladder

EXAMPLES = ROOT / "examples"
FAKE_BOTS = ROOT / "tests" / "fake_bots"


def command_of(ladder: Ladder, name: str) -> str:
    """Return the example's command, compiled if needed; skip if that cannot be done."""
    source = Path(shutil.copy(EXAMPLES / name, ladder.folder))
    needs = {".py": "python3", ".js": "node", ".c": "cc"}[source.suffix]
    program = shutil.which(needs)
    if program is None:
        pytest.skip(f"no {needs} on this machine to run {name} with")
    if source.suffix != ".c":
        return f"{needs} {name}"
    subprocess.run([program, "-O2", "-o", ladder.folder / source.stem, source], check=True)
    return f"./{source.stem}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "center_bot.py",
        pytest.param("center_bot.c", marks=pytest.mark.very_slow),
        pytest.param("center_bot.js", marks=pytest.mark.very_slow),
    ],
)
def test_an_example_is_short_plays_legally_and_beats_random(ladder: Ladder, name: str) -> None:
    """Under 60 lines must be enough for a bot that registers and wins nine games of ten."""
    assert len((EXAMPLES / name).read_text().splitlines()) < 60
    added = ladder.stock()("bots", "add", "center", f"exec:{command_of(ladder, name)}")
    assert added.code == 0, added.err
    for boards in ("thu", "6x7"):
        words = ("match", "center", "random", "--boards", boards, "--games", "20", "--json")
        done = ladder(*words, "--time", "200ms", "--margin", "60s", "--seed", "1")
        assert done.code == 0, done.err
        bots = {bot["name"]: bot for bot in done.document["report"]["bots"]}
        assert bots["center"]["score"] >= 0.9
        assert sum(bots["center"]["forfeits"].values()) == 0


ADAPTED = {
    "aigames": ("aigames_adapter.py python3 aigames_bot.py 1", "6x7", "--time 500ms"),
    "aigames-clock": ("aigames_adapter.py python3 aigames_bot.py 1", "6x7", "--clock 60s+100ms"),
    "riddles": ("aigames_adapter.py --riddles python3 aigames_bot.py 0", "8x9", "--time 500ms"),
    "codingame": ("codingame_adapter.py python3 codingame_bot.py", "7x9", "--time 500ms"),
}
"""Commands of bots of other sites behind their adapters, their boards and their time."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",  # with a clock the adapter does the same and more
    [pytest.param(each, marks=(pytest.mark.very_slow,) * (each == "aigames")) for each in ADAPTED],
)
def test_a_bot_of_another_site_plays_through_its_adapter(ladder: Ladder, case: str) -> None:
    """A bot that takes no other format must play its own moves, without a forbidden cell."""
    command, board, time = ADAPTED[case]
    for file in (EXAMPLES / command.split()[0], *FAKE_BOTS.glob("*_bot.py")):
        shutil.copy(file, ladder.folder)
    added = ladder.stock()("bots", "add", "adapted", f"exec:python3 {command}", "--time", "500ms")
    assert added.code == 0, added.err
    words = ("match", "adapted", "random", "--boards", board, "--games", "4", "--margin", "60s")
    done = ladder(*words, *time.split(), "--opening-plies", "0", "--seed", "1", "--json")
    assert done.code == 0, done.err
    for bot in done.document["report"]["bots"]:
        assert sum(bot["forfeits"].values()) == 0
    for line in ladder("export").out.splitlines():
        game = json.loads(line)
        own = game["moves"][game["second"] == "adapted" :: 2]
        assert all(left <= right for left, right in itertools.pairwise(own))
    refused = ladder("match", "adapted", "random", "--boards", "10x11@3,4", "--time", "500ms")
    assert refused.code == 2, refused.err


@pytest.mark.slow
def test_stealing_is_an_illegal_move(ladder: Ladder) -> None:
    """CodinGame's extra move is none of this game's, and the trial must name it."""
    for file in (EXAMPLES / "codingame_adapter.py", FAKE_BOTS / "codingame_bot.py"):
        shutil.copy(file, ladder.folder)
    command = "exec:python3 codingame_adapter.py python3 codingame_bot.py steals"
    added = ladder("bots", "add", "thief", command)
    assert added.code == 2
    assert "(illegal_move)" in added.err
    assert "'STEAL', not a column" in added.err
