"""`ladder tune` from the command line: real bots, real signals."""

import shutil

import pytest

from tests.end_to_end.conftest import FAKE_BOTS, Ladder

CHEAP = ("--boards", "5x5", "--depth", "1", "--seed", "5", "--concurrency", "1")
SEARCH = (
    "tune",
    "builtin:ab1",
    "--param",
    "two=0..30:int",
    "--param",
    "three=0..8..30:int",
    *CHEAP,
)
"""Two weights of an evaluation; the processes of its players go on from setting to setting."""


@pytest.fixture
def ladder(ladder: Ladder) -> Ladder:
    """Return a folder with the built-in players."""
    return ladder.stock()


@pytest.mark.slow
def test_a_parameter_is_tuned_gated_and_registered(ladder: Ladder) -> None:
    """The search goes where the bot is stronger, the gate agrees, and the winner has a name.

    The boards are those that the bot plays, and the first line must name them.
    """
    shutil.copy(FAKE_BOTS / "stacker.py", ladder.folder)
    words = (
        "tune", "exec:env X={x} python3 -I -S stacker.py", "--param", "x=0..0.3..1", "--games",
        "120", "--pairs", "6", "--opening-plies", "0", "--simulations", "1",
        "--seed", "5", "--max-drop", "50", "--concurrency", "1", "--register", "better", "--json",
        "--html", "page.html",
    )  # fmt: skip
    done = ladder(*words)
    assert done.code == 0, done.err
    said = "boards: standard, because stacker@x0.3 plays only 6x7"
    assert done.err.splitlines()[0] == said
    found = done.document
    assert found["parameters"]["x"] > 0.35
    assert found["gate"]["verdict"] == "pass"
    assert found["gate"]["elo"] > 0
    assert (found["games"], found["steps"], found["registered"]) == (120, 10, "better")
    assert "then a gate" not in done.out
    assert "pass" in (ladder.folder / "page.html").read_text()
    bots = {bot["name"] for bot in ladder("bots", "list", "--json").document}
    assert "better" in bots
    assert not any("@" in name for name in bots)
    assert found["gate"]["candidate"].startswith("stacker@x0.")
    assert found["gate"]["against"] == ["stacker@x0.3"]
    runs = ladder("runs", "--json").document["runs"]
    assert [(run["kind"], run["status"], run["verdict"]) for run in runs] == [
        ("gate", "finished", "pass"),
        ("tune", "finished", "pass"),
    ]
    assert runs[1]["games"] == 120
    assert ladder("report", "--json").document["games"] == 0
    again = ladder(*words)
    assert again.code == 0, again.err
    assert again.document == found
    assert len(ladder("runs", "--json").document["runs"]) == 2


@pytest.mark.very_slow
def test_a_player_is_tuned_by_its_options_and_a_loser_gets_no_name(ladder: Ladder) -> None:
    """The start is the version's own value, the original its registered bot, whole values whole."""
    words = (*SEARCH, "--games", "40", "--pairs", "2", "--max-games", "4", "--register", "better")
    done = ladder(*words, "--json")
    assert done.code == 4, done.err
    found = done.document
    assert found["start"] == {"two": 1, "three": 8}
    two, three = found["parameters"]["two"], found["parameters"]["three"]
    assert (type(two), type(three)) == (int, int)
    assert (found["gate"]["against"], found["registered"]) == (["ab1"], None)
    assert found["tuned_spec"] == f"builtin:ab1?two={two}&three={three}"
    again = ladder(*words)
    assert "better is not registered: the gate's verdict is inconclusive" in again.out
    assert "better" not in ladder("bots", "list").out
