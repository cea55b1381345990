"""Bots that cannot take part: left out when a pattern chose them, refused when they are named."""

import shutil
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Ladder
from tests.support.hosted import BOT, LEGAL, write
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
    done = ladder("run", "--bots", "my*,random", *THU, "--json")
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
def test_a_run_without_bots_plays_with_all_that_can_start(ladder: Ladder) -> None:
    """A run of all registered bots must start although some of them cannot take part."""
    done = ladder("run", *THU, "--json")
    assert done.code == 0, done.err
    left_out = done.document["run"]["left_out"]
    assert {"my-agent", "exact"}.issubset(left_out)
    assert "my-bot" not in left_out


@pytest.mark.slow
@pytest.mark.usefixtures("bots")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--bots", "my*,my-agent"),
            "my-agent does not play thu, but boards without a forbidden cell: choose other boards",
        ),
        pytest.param(
            ("--bots", "my*,random", "--pairing", "gauntlet:my-agent"),
            "my-agent does not play",
            marks=pytest.mark.very_slow,
        ),
        pytest.param(
            ("--bots", "my-a*,random"),
            "a run needs at least two different bots",
            marks=pytest.mark.very_slow,
        ),
    ],
)
def test_a_named_bot_that_cannot_play_is_refused(
    ladder: Ladder, words: tuple[str, ...], said: str
) -> None:
    """A user who names a bot wants it to play: a run without it would answer another question."""
    refused = ladder("run", *words, *THU)
    assert (refused.code, said in refused.err) == (2, True), refused.err
    assert ladder("report", "--json").code == 2


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
