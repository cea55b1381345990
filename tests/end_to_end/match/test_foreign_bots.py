"""Bots from outside on one ladder: registering, replacing, refusing, playing."""

import shutil
from pathlib import Path

import pytest

from engine.result import FORFEITS
from tests.end_to_end.conftest import FAKE_BOTS, Ladder
from tests.support.hosted import (
    BOT,
    LEGAL,
    compiled,
    write,
)

AGENT = "def agent(obs, config):\n    return [c for c in range(7) if obs.board[c] == 0][-1]\n"


def python_bot(folder: Path) -> str:
    write(folder, rules=LEGAL, bot=BOT.format(module="rules"))
    return "python:bot.py:Bot"


def add(ladder: Ladder, name: str, spec: str, *options: str) -> str:
    done = ladder("bots", "add", name, spec, *options)
    assert done.code == 0, done.err
    return done.out


@pytest.mark.very_slow
def test_bots_of_all_kinds_share_a_ladder(ladder: Ladder) -> None:
    """Every kind must play without a forfeit, in one division and one report."""
    folder = ladder.folder
    shutil.copy(FAKE_BOTS / "course_program.py", folder / "program.py")
    shutil.copy(FAKE_BOTS / "bot.py", folder / "bot_program.py")
    (folder / "submission.py").write_text(AGENT)
    add(ladder, "py", python_bot(folder))
    add(ladder, "agent", "kaggle:submission.py")
    add(ladder, "course", compiled(folder))
    add(ladder, "pipes", "saiblo:./program.py")
    add(ladder, "own", "exec:python3 -I -S bot_program.py honest")
    names = "py,agent,course,pipes,own,random"
    words = ("run", "--bots", names, "--time", "200ms", "--margin", "60s")
    words = (*words, "--pairing", "gauntlet:own")
    done = ladder(*words, "--boards", "6x7", "--games", "10", "--json")
    assert done.code == 0, done.err
    report = done.document["report"]
    games = {bot["name"]: bot["games"] for bot in report["bots"]}
    assert games == {**dict.fromkeys(names.split(","), 2), "own": 10}
    assert [bot["forfeits"] for bot in report["bots"]] == [
        dict.fromkeys((kind.value for kind in FORFEITS), 0)
    ] * 6
    refused = ladder("run", "--bots", names, "--boards", "thu", "--games", "2")
    assert refused.code == 2
    assert "agent does not play thu" in refused.err
    mixed = ladder(*words, "--boards", "6x7,10x11@3,4", "--games", "10", "--json")
    assert mixed.code == 0, mixed.err
    assert all(bot["games"] >= 2 for bot in mixed.document["report"]["bots"])
    assert sum(bot["forfeits"]["crash"] for bot in mixed.document["report"]["bots"]) == 0


@pytest.mark.slow
def test_a_run_with_too_little_time_is_refused(ladder: Ladder) -> None:
    """The sentence must name the bot and the least time that it takes."""
    out = add(ladder, "slow", compiled(ladder.folder, "SLEEPS"))
    least = ladder("bots", "show", "slow", "--json").document["min_time_ms"]
    assert f"needs {least} ms a move" in out
    words = ("run", "--bots", "slow,random", "--boards", "4x4", "--games", "2")
    refused = ladder(*words, "--time", f"{least - 1}ms")
    assert refused.code == 2
    assert f"allow at least {least} ms per move" in refused.err
    done = ladder(*words, "--time", f"{least + 100}ms", "--json")
    assert done.code == 0, done.err


@pytest.mark.slow
def test_nothing_is_stored_of_a_bot_that_fails(ladder: Ladder) -> None:
    """A failed trial must exit with 2, one sentence, and leave the list as it was."""
    (ladder.folder / "bot.py").write_text("class Bot: pass\n")
    refused = ladder("bots", "add", "broken", "python:bot.py:Bot")
    assert refused.code == 2
    assert "has no method new_game" in refused.err
    assert "Traceback (most" not in refused.err.partition("stderr")[0]
    names = [bot["name"] for bot in ladder("bots", "list", "--json").document]
    assert "broken" not in names
    builtin = ladder("bots", "add", "v4", "builtin:v3", "--replace")
    assert (builtin.code, "built-in player" in builtin.err) == (2, True)
