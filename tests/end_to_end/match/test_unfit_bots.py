"""Bots that cannot take part: left out when a pattern chose them, refused when they are named."""

import shutil
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Ladder
from tests.support.hosted import BOT, LEGAL, compiled, write
from tests.support.shared import made_once

AGENT = "def agent(obs, config):\n    return [c for c in range(7) if obs.board[c] == 0][-1]\n"
THU = ("--boards", "thu", "--simulations", "1", "--games", "2", "--concurrency", "1")


def register(folder: Path) -> None:
    ladder = Ladder(folder)
    (folder / "submission.py").write_text(AGENT)
    write(folder, rules=LEGAL, bot=BOT.format(module="rules"))
    for name, spec in (
        ("my-agent", "kaggle:submission.py"),
        ("my-bot", "python:bot.py:Bot"),
    ):
        done = ladder("bots", "add", name, spec)
        assert done.code == 0, done.err


@pytest.fixture
def bots(ladder: Ladder) -> None:
    """Two bots of which one plays no forbidden cells."""
    shutil.copy(made_once("unfit-bots", register) / "ladder.db", ladder.folder)


@pytest.mark.slow
@pytest.mark.usefixtures("bots")
def test_a_pattern_leaves_out_what_cannot_play(ladder: Ladder) -> None:
    """One unfit bot must not keep the others from playing, and must be named with the reason."""
    done = ladder.instant()("run", "--bots", "my*,random", *THU, "--json")
    assert done.code == 0, done.err
    assert {bot["name"] for bot in done.document["report"]["bots"]} == {"my-bot", "random"}
    assert set(done.document["run"]["left_out"]) == {"my-agent"}
    said = (
        "left out: my-agent does not play thu, but boards without a forbidden cell: choose other "
        "boards, such as standard"
    )
    assert done.err.count(said) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("bots")
@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ("my*,my-agent", "my-agent does not play thu, but boards without a forbidden cell: choose"),
        ("my-a*,random", "a run needs at least two different bots"),
    ],
)
def test_a_named_bot_that_cannot_play_is_refused(ladder: Ladder, chosen: str, said: str) -> None:
    """A user who names a bot wants it to play: a run without it would answer another question."""
    refused = ladder("run", "--bots", chosen, *THU)
    assert (refused.code, said in refused.err) == (2, True), refused.err


@pytest.mark.slow
@pytest.mark.usefixtures("bots")
def test_boards_without_a_word_are_those_that_the_named_bots_play(ladder: Ladder) -> None:
    """The first line must name them and why, and the command that repeats the run, too."""
    words = ("--simulations", "1", "--games", "2", "--concurrency", "1", "--json")
    done = ladder.instant()("match", "my-agent", "my-bot", *words)
    assert done.code == 0, done.err
    assert done.document["report"]["division"]["boards"] == "6x7"
    said = "boards: standard, because my-agent plays only boards without a forbidden cell"
    assert done.err.splitlines()[0] == said
    assert "--boards standard" in ladder("runs", "show", "1", "--json").document["command"]
    done = ladder("run", "--bots", "my*,random", *words)
    assert done.document["report"]["division"]["boards"] == "thu"
    assert set(done.document["run"]["left_out"]) == {"my-agent"}


@pytest.mark.very_slow
@pytest.mark.usefixtures("bots")
def test_a_suite_leaves_out_what_cannot_answer(ladder: Ladder) -> None:
    """A pattern leaves unfit bots out with the reason; a named one is refused."""
    suite = "with-a-hole.jsonl"
    made = ladder("suite", "make", suite, "--boards", "6x7@1,1", "--count", "1")
    assert made.code == 0, made.err
    done = ladder("suite", "run", "my*", suite, "--simulations", "1", "--json")
    assert done.code == 0, done.err
    assert [each["bot"] for each in done.document["results"]] == ["my-bot"]
    assert set(done.document["left_out"]) == {"my-agent"}
    assert done.err.count("left out: my-agent does not play 6x7@1,1") == 1
    refused = ladder("suite", "run", "my-agent", suite, "--simulations", "1")
    assert refused.code == 2
    assert "my-agent does not play 6x7@1,1, a board of with-a-hole" in refused.err
    assert "choose a suite on other boards, such as standard" in refused.err
    assert (
        "none of these bots can answer"
        in ladder("suite", "run", "my-a*", suite, "--simulations", "1").err
    )


@pytest.mark.slow
def test_a_run_with_too_little_time_is_refused(ladder: Ladder) -> None:
    """The sentence must name the bot and the least time that it takes."""
    out = ladder("bots", "add", "slow", compiled(ladder.folder, "SLEEPS")).out
    least = ladder("bots", "show", "slow", "--json").document["min_time_ms"]
    assert f"needs {least} ms a move" in out
    words = ("run", "--bots", "slow,random", "--boards", "4x4", "--games", "2")
    refused = ladder(*words, "--time", f"{least - 1}ms")
    assert refused.code == 2
    assert f"allow at least {least} ms per move" in refused.err
    done = ladder(*words, "--time", f"{least + 100}ms", "--json")
    assert done.code == 0, done.err
