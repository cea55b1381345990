"""`ladder train` from the command line: real processes, real signals."""

import itertools
import json
import signal
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bots.champion import CHAMPION
from bots.learned.weights import read_weights
from bots.learned.weights_file import SHIPPED_FILES
from tests.end_to_end.conftest import Ladder
from tests.support.shared import made_once
from tests.support.waiting import eventually

TRAINING = (
    "train", "value", "--seed", "3", "--player", "v18", "--games", "200", "--simulations", "4",
    "--boards", "6x7", "--generations", "2", "--concurrency", "1", "-o", "new",
)  # fmt: skip


def made(folder: Path) -> dict[str, bytes]:
    """Everything that a training has written and that does not depend on the clock."""
    names = [*sorted((folder / "games").glob("*.jsonl")), *sorted(folder.glob("weights*.npz"))]
    return {str(path.relative_to(folder)): path.read_bytes() for path in names}


def generations(folder: Path) -> list[dict[str, Any]]:
    """Return the log without what depends on the clock."""
    lines = [json.loads(line) for line in (folder / "generations.jsonl").read_text().splitlines()]
    return [{key: one[key] for key in one if key != "seconds"} for one in lines]


@pytest.fixture(scope="module")
def undisturbed() -> Path:
    """Return the folder of an undisturbed training."""

    def train(folder: Path) -> None:
        done = Ladder(folder)(*TRAINING, timeout=600)
        assert done.code == 0, done.err

    return made_once("undisturbed-training", train) / "new"


@pytest.mark.very_slow
def test_a_killed_training_comes_to_the_same_weights(ladder: Ladder, undisturbed: Path) -> None:
    """Ctrl-C and SIGKILL lose the blocks in play; the weights are those of an undisturbed one."""
    folder = ladder.folder / "new"
    for number, wanted in ((signal.SIGINT, 1), (signal.SIGKILL, 2)):
        process = ladder.start(*TRAINING)
        eventually(lambda: len(list((folder / "games").glob("*.jsonl"))) >= wanted)  # noqa: B023
        stopped = ladder.interrupt(process, number)
        assert stopped.code == (130 if number == signal.SIGINT else -signal.SIGKILL), stopped.err
        assert len(list((folder / "games").glob("*.jsonl"))) < 4
    resumed = ladder(*TRAINING)
    assert resumed.code == 0, resumed.err
    assert made(folder) == made(undisturbed)
    assert generations(folder) == generations(undisturbed)
    assert len(generations(folder)) == 2
    assert "--seed 3" in resumed.out
    record = json.loads((folder / "weights.json").read_text())
    assert record["weights"] == sha256((folder / "weights.npz").read_bytes()).hexdigest()
    assert record["command"] in resumed.out
    assert (record["seed"], record["games"], len(record["revision"])) == (3, 400, 16)
    page = (folder / "training.html").read_text()
    assert "chart-losses" in page
    assert "expected result" in page
    again = ladder(*TRAINING)
    assert (again.code, again.out) == (0, resumed.out)
    assert "nothing to do" in again.err
    other = ladder(*TRAINING, "--games", "500")
    assert other.code == 2
    assert "--games: the training in new has 200, not 500" in other.err


@pytest.mark.very_slow
def test_shipped_weights_are_trained_further(ladder: Ladder) -> None:
    """They change a little in each generation, and the champion plays with the result."""
    words = (
        "train", "value", "--seed", "3", "--start", "fifth-generation", "--games", "200",
        "--simulations", "2", "--boards", "9x9", "--generations", "2", "--concurrency", "1",
    )  # fmt: skip
    done = ladder(*words, "--register", "further", timeout=300)
    assert done.code == 0, done.err
    assert "--start fifth-generation" in done.out
    folder = ladder.folder / "value-training"
    tables = [read_weights(SHIPPED_FILES["fifth-generation"]).table]
    tables += [read_weights(folder / f"weights-{number:02d}.npz").table for number in (1, 2)]
    for before, after in itertools.pairwise(tables):
        steps = np.abs(after.astype(int) - before)
        assert 0 < steps.max() < 10
    shown = ladder("bots", "show", "further", "--json").document
    assert shown["based_on"] == CHAMPION


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
