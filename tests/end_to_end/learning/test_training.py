"""`ladder train c4ai` from the command line: real processes, real signals."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import Ladder

TRAINING = (
    "train", "c4ai", "--seed", "3", "--start", "0,0,0,900,0,0", "--generations", "40", "-o", "new",
)  # fmt: skip


def generations(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the whole lines of a log, settings first, without what depends on the clock."""
    log = folder / name / "generations.jsonl"
    if not log.exists():
        return []
    found = [json.loads(line) for line in log.read_text().splitlines(True) if line.endswith("\n")]
    return [{key: one[key] for key in one if key != "timing"} for one in found]


@pytest.mark.slow
def test_a_trained_version_is_registered(ladder: Ladder) -> None:
    """--register makes a bot of the result that lists show, and that plays without its folder."""
    words = ("train", "c4ai", "--generations", "12", "--seed", "3", "--boards", "5x5", "-o", "new")
    done = ladder(*words, "--register", "learned")
    assert done.code == 0, done.err
    weights = (ladder.folder / "new" / "weights.csv").read_text().strip()
    assert done.out.splitlines() == [weights]
    assert "learned is registered" in done.err
    (ladder.folder / "new" / "weights.csv").write_text("1,1,1,1,1,1\n")
    shown = ladder("bots", "show", "learned", "--json").document
    assert (shown["family"], shown["based_on"], shown["revision"]) == ("c4ai", "c4ai", 1)
    assert shown["files"]["option weights"] == weights
    assert "learned" in {row["name"] for row in ladder("bots", "list", "--json").document}
    play = ("--boards", "standard", "--depth", "1", "--games", "2", "--seed", "1", "--json")
    played = ladder("match", "learned", "random", *play)
    assert played.code == 0, played.err
    assert played.document["run"]["games"] == 2
    taken = ladder(*words, "--register", "learned")
    assert taken.code == 2
    assert "already registered" in taken.err


@pytest.mark.slow
def test_bad_input_to_a_training_is_refused(ladder: Ladder) -> None:
    """One sentence, status 2, and nothing is made."""
    (ladder.folder / "bad.csv").write_text("1,2,3\n")
    for words, complaint in {
        ("--generations", "0"): "--generations",
        ("--games-per-trial", "3"): "--games-per-trial",
        ("--depth", "0"): "--depth",
        ("--depth", "4"): "--depth: it must be odd",
        ("--boards", "3x3"): "rows must be",
        ("--opening-plies", "-1"): "--opening-plies",
        ("--seed", "-1"): "--seed",
        ("--start", "bad.csv"): "line 1: 3 numbers",
        ("--start", "none.csv"): "cannot be read",
        ("--register", "a b"): "a bot's name",
        ("--register", "v4"): "already registered",
        ("-o", "bad.csv"): "cannot be",
    }.items():
        done = ladder("train", "c4ai", *words)
        assert (done.code, done.out) == (2, ""), (words, done.err)
        assert complaint in done.err
        assert "Traceback" not in done.err
    assert [path.name for path in ladder.folder.iterdir()] == ["bad.csv"]
    assert ladder(*TRAINING[:-4], "--generations", "1", "-o", "new").code == 0
    other = ladder(*TRAINING[:-2], "--depth", "3", "-o", "new")
    assert other.code == 2
    assert "has 5, not 3" in other.err
