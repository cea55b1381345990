"""Kaggle ConnectX submissions, hosted apart."""

import re
import tarfile
from pathlib import Path

import pytest

from bots.budget import Clock
from bots.protocol import Budget
from db.records.restart import Restart
from tests.support.hosted import entrant, games_of, play, refusal, tried, write

PREAMBLE = """
import random
from math import floor

print("submissions print while they load")
"""
CHECKS = """
    assert len(observation["board"]) == configuration["rows"] * configuration["columns"]
    assert observation.mark == observation["mark"] in (1, 2)
    assert observation.step == sum(map(bool, observation.board))
    assert configuration.inarow == 4 and configuration.actTimeout > 0
    assert observation.board.count(1) - observation.board.count(2) == observation.mark - 1
    bottom = observation.board[-configuration.columns:]
    top = observation.board[:configuration.columns]
    assert not any(t and not b for t, b in zip(top, bottom))
    print("thinking")
    return random.choice([c for c in range(configuration.columns) if top[c] == 0])
"""
TWO = (
    PREAMBLE + "def helper(x):\n    return x\n\ndef my_agent(observation, configuration):" + CHECKS
)
ONE = """
def agent(obs):
    return [c for c in range(7) if obs.board[c] == 0][0]
"""
TREE = """
import memo

def agent(obs, config):
    assert obs.step > memo.last, "the former game is still here"
    memo.last = obs.step
    return [c for c in range(config.columns) if obs.board[c] == 0][-1]
"""
ARCHIVED = """
import sys
sys.path.append("/kaggle_simulations/agent/")
import package.helper

ORDER = open("/kaggle_simulations/agent/weights.txt").read().split()

def agent(obs, config):
    assert ORDER == package.helper.ORDER
    return next(c for c in map(int, ORDER) if c < config.columns and obs.board[c] == 0)
"""
HELPER = """
from pathlib import Path

ORDER = Path("/kaggle_simulations/agent", "weights.txt").read_text().split()
"""
RANDOM = """
import random

def agent(obs, config):
    return random.choice([c for c in range(config.columns) if obs.board[c] == 0])
"""
RESERVED = """
def agent(obs, config):
    columns = [c for c in range(config.columns) if obs.board[c] == 0]
    return columns[-1] if config.timeout > 0.3 else None
"""
COMPILING = """
import time

compiled = False

def agent(obs, config):
    global compiled
    if not compiled:
        time.sleep(0.6)
    compiled = True
    return [c for c in range(config.columns) if obs.board[c] == 0][-1]
"""


def submission(folder: Path, text: str) -> str:
    (folder / "submission.py").write_text(text)
    return "kaggle:submission.py"


@pytest.mark.slow
def test_an_agent_of_two_parameters_sees_what_kaggle_shows(tmp_path: Path) -> None:
    """Observation and configuration must have attributes and keys, and prints do no harm."""
    found = tried(submission(tmp_path, TWO), tmp_path)
    assert found.boards == ("any",)
    assert len(found.trials) == 1
    games = games_of(play(entrant("kaggle:submission.py", tmp_path), "8x9"))
    assert [game.detail for game in games] == ["", ""]
    tried(submission(tmp_path, ONE), tmp_path)  # which takes the observation alone


@pytest.mark.slow
def test_imported_modules_are_fresh_in_every_game(tmp_path: Path) -> None:
    """No module keeps the state of a game; an agent that keeps its process is told in the trial."""
    spec = submission(tmp_path, TREE)
    write(tmp_path, memo="last = -1\n")
    games = games_of(play(entrant(spec, tmp_path), "6x7", pairs=2))
    assert [game.detail for game in games] == [""] * 4
    sentence = refusal(spec, tmp_path, restart=Restart.NEVER)
    assert "the former game is still here" in sentence
    assert "one process plays many games" in sentence


@pytest.mark.slow
def test_an_archive_plays_from_its_own_files(tmp_path: Path) -> None:
    """Kaggle's folder means the place of the archive's files, in all of its modules."""
    files = {"main.py": ARCHIVED, "package/helper.py": HELPER, "weights.txt": "3 2 4 1 5 0 6 7"}
    with tarfile.open(tmp_path / "submission.tar.gz", "w:gz") as archive:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            archive.add(path, name)
            path.unlink()
    spec = "kaggle:submission.tar.gz"
    assert tried(spec, tmp_path).name == "submission"
    games = games_of(play(entrant(spec, tmp_path), "6x7"))
    assert [game.detail for game in games] == ["", ""]


@pytest.mark.slow
def test_an_archive_without_main_is_explained(tmp_path: Path) -> None:
    """A folder packed instead of its files is named, and a broken archive is called so."""
    with tarfile.open(tmp_path / "agent.tar.gz", "w:gz") as archive:
        (tmp_path / "main.py").write_text(ONE)
        archive.add(tmp_path / "main.py", "agent/main.py")
    (tmp_path / "broken.tgz").write_bytes(b"not an archive")
    assert "has no main.py at its top: there are agent" in refusal("kaggle:agent.tar.gz", tmp_path)
    assert "broken.tgz cannot be unpacked" in refusal("kaggle:broken.tgz", tmp_path)


@pytest.mark.slow
def test_random_numbers_follow_the_seed(tmp_path: Path) -> None:
    """An agent that draws from `random` repeats its games."""
    bot = entrant(submission(tmp_path, RANDOM), tmp_path)
    first, again = ([game.moves for game in games_of(play(bot, "6x7"))] for _ in range(2))
    assert first == again


@pytest.mark.slow
def test_a_trial_has_kaggle_s_terms(tmp_path: Path) -> None:
    """An agent may reserve a part of its 2 s, and compile in its first move by its overage."""
    spec = submission(tmp_path, RESERVED)
    tried(spec, tmp_path)
    sentence = refusal(spec, tmp_path, time_ms=200)
    assert "failed its trial game on 6x7, given 200ms" in sentence
    assert "returned None, which is not a column (its actTimeout was 0.2 s)" in sentence
    found = tried(submission(tmp_path, COMPILING), tmp_path)
    assert (found.min_time_ms, found.over_budget) == (None, "")
    found = tried(submission(tmp_path, COMPILING), tmp_path, time_ms=100)
    assert found.min_time_ms is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\n", "defines no function"),
        ("def agent(obs, config): return 3\ndef main(): pass\n", "the agent must come last"),
        ("def agent(obs, config): return None\n", "returned None, which is not a column"),
        (
            "def agent(obs, config): return 3\ndef helper(board, mark): return []\n",
            r"returned \[\], which is not a column .*; helper was taken as the agent",
        ),
        (
            "def agent(obs, config): return 3\nfrom statistics import median\n",
            "TypeError: .*; median was taken as the agent, for it is the last callable",
        ),
        ("def agent(obs, config): return obs.nothing\n", "AttributeError"),
        ("def agent(:\n", "SyntaxError"),
    ],
)
def test_a_file_without_an_agent_is_explained(tmp_path: Path, text: str, expected: str) -> None:
    """The author must read why, and where."""
    sentence = refusal(submission(tmp_path, text), tmp_path)
    assert re.search(expected, sentence)
    if expected.endswith("Error"):
        assert "submission.py, line 1" in sentence


CLOCKED = """
def agent(obs, config):
    left = obs.remainingOverageTime
    assert {least} <= left + {together} * config.actTimeout <= {most}, (left, config.actTimeout)
    return [c for c in range(config.columns) if obs.board[c] == 0][-1]
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("budget", "bounds"),
    [
        (Budget(time_ms=900, overage_ms=7000), {"together": 0, "least": 5, "most": 7}),
        (Budget(clock=Clock(8000, 100)), {"together": 1, "least": 5, "most": 12}),
    ],
    ids=["overage", "clock"],
)
def test_an_agent_sees_its_overage_and_its_clock(
    budget: Budget, bounds: dict[str, int], tmp_path: Path
) -> None:
    """An overage is Kaggle's; of a clock, the time of the move and the rest are the whole."""
    spec = submission(tmp_path, CLOCKED.format(**bounds))
    bot = entrant(spec, tmp_path, budget=budget, kinds=("any", "clock", "overage"))
    assert [game.detail for game in games_of(play(bot, "6x7"))] == ["", ""]
