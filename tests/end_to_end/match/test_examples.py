"""The example bots: short, legal, and better than random."""

import itertools
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.conftest import ROOT, Ladder

EXAMPLES = ROOT / "examples"


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


FIELD_BOT = """
import sys

for line in sys.stdin:
    words = line.split()
    if words[:2] == ["settings", "field_width"]:
        width = int(words[2])
    elif words[:3] == ["update", "game", "field"]:
        top = words[3].split(",")[:width]
    elif words[:2] == ["action", "move"]:
        print("place_disc", top.index("."), flush=True)
"""
"""A bot of another protocol: the leftmost column with room."""


@pytest.mark.slow
def test_a_bot_of_another_protocol_plays_through_the_adapter(ladder: Ladder) -> None:
    """Its games must be those of the bot, on boards without a forbidden cell only."""
    shutil.copy(EXAMPLES / "line_protocol_adapter.py", ladder.folder)
    (ladder.folder / "field_bot.py").write_text(FIELD_BOT)
    command = "exec:python3 line_protocol_adapter.py python3 field_bot.py"
    added = ladder.stock()("bots", "add", "adapted", command)
    assert added.code == 0, added.err
    words = ("match", "adapted", "random", "--boards", "6x7", "--games", "4", "--margin", "60s")
    done = ladder(*words, "--time", "100ms", "--opening-plies", "0", "--seed", "1", "--json")
    assert done.code == 0, done.err
    for bot in done.document["report"]["bots"]:
        assert sum(bot["forfeits"].values()) == 0
    for line in ladder("export").out.splitlines():
        game = json.loads(line)
        own = game["moves"][game["second"] == "adapted" :: 2]
        assert all(left <= right for left, right in itertools.pairwise(own))
    refused = ladder("match", "adapted", "random", "--boards", "10x11@3,4", "--time", "100ms")
    assert refused.code == 2, refused.err
