"""Kaggle ConnectX submissions, hosted apart."""

import json
import re
import tarfile
from pathlib import Path

import pytest

from bots.budget import Clock
from bots.errors import SpecError
from bots.protocol import Budget
from db.records.launch import Restart
from engine.result import Result
from ladder.registry.specs.spec import BotSource, pack_bot, read_spec
from ladder.registry.trial import try_out
from tests.support.hosted import entrant, games_of, play, refusal, tried, write
from tests.support.unconfined import UNCONFINED

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


STRICT = """
import os
from kaggle_environments import make, evaluate, utils, agent as agents, structify, version
from kaggle_environments import Environment, environments, errors
from kaggle_environments.core import Environment as core_environment
from kaggle_environments.utils import Struct, read_file, get_last_callable
from kaggle_environments.envs.connectx.connectx import is_win, play, negamax_agent, random_agent
import kaggle_environments.envs.connectx.connectx as rules

environment = make("connectx", debug=True)
environment.run([None, "random"])
environment.train([None, "negamax"]).reset()
environment.render(mode="ansi")
KEYS = {"rows", "columns", "inarow", "actTimeout", "timeout", "agentTimeout", "runTimeout",
        "episodeSteps", "__raw_path__"}

def act(observation, configuration):
    assert "__file__" not in globals(), "Kaggle defines no __file__"
    assert set(configuration) == KEYS and set(observation) == {
        "board", "mark", "step", "remainingOverageTime"}
    assert configuration.steps == configuration.episodeSteps
    assert os.path.basename(configuration["__raw_path__"]) == "submission.py"
    for column in range(configuration.columns):
        if observation.board[column] == 0:
            if rules.is_win(observation.board, column, observation.mark, configuration, False):
                return column
    copy = list(observation.board)
    column = random_agent(observation, configuration)
    play(copy, column, observation.mark, configuration)
    assert is_win(copy, column, observation.mark, configuration) is False
    return negamax_agent(observation, configuration)
"""
NO_ARGUMENT = """
import random

def agent():
    return random.choice([0, 6])
"""
PARTS = """
class Board:
    def __init__(self, rows): self.rows = rows

class Player:
    def __init__(self): self.made = True
    def act(self, observation, configuration):
        assert self.made
        return max(c for c in range(7) if observation.board[c] == 0)

def my_agent(observation):
    return min(c for c in range(7) if observation.board[c] == 0)

class Node:
    pass
"""
ABOVE = """
from src.search import best

def agent(observation, configuration):
    return best(observation, configuration)
"""
SEARCH = """
import src.values
from tools import legal

def best(observation, configuration):
    return max(legal(observation.board), key=src.values.CENTER.__getitem__)
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
    games = games_of(play(entrant(spec, tmp_path), "6x7"))
    assert [game.detail for game in games] == ["", ""]
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
        (
            "def agent(obs, config): return 3\ndef main(): pass\n",
            r"returned None, .*; main was taken as .*: write kaggle:submission.py:agent",
        ),
        (
            "def my_agent(obs, config): return 3\nclass Node: pass\n",
            "is the class Node: write kaggle:submission.py:my_agent to choose that",
        ),
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


@pytest.mark.slow
def test_kaggle_s_package_need_not_be_installed(tmp_path: Path) -> None:
    """What submissions import of it must be there, and keys must be Kaggle's alone."""
    assert tried(submission(tmp_path, STRICT), tmp_path).trials[0].result is Result.WIN


@pytest.mark.slow
def test_an_agent_without_arguments_is_called_without(tmp_path: Path) -> None:
    """Kaggle passes no more than the agent's code takes."""
    details = [
        g.detail
        for g in games_of(play(entrant(submission(tmp_path, NO_ARGUMENT), tmp_path), "6x7"))
    ]
    assert all("TypeError" not in detail for detail in details)


@pytest.mark.slow
def test_a_name_chooses_the_agent(tmp_path: Path) -> None:
    """A function, or a class whose `act` is asked; without a name the last callable is meant."""
    spec = submission(tmp_path, PARTS)
    refused = refusal(spec, tmp_path)
    assert "which is the agent on Kaggle, is the class Node" in refused
    assert "write kaggle:submission.py:my_agent" in refused
    for name, leftmost in (("my_agent", True), ("Player", False)):
        games = games_of(play(entrant(f"{spec}:{name}", tmp_path), "6x7"))
        assert [game.detail for game in games] == ["", ""]
        assert games[0].moves[2] == (0 if leftmost else 6)
    assert "has no function or class best: it has Board, Player" in refusal(
        f"{spec}:best", tmp_path
    )
    assert "TypeError" in refusal(f"{spec}:Board", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("inner", ["", "agents"])
def test_packages_above_the_file_are_found_and_stored(tmp_path: Path, inner: str) -> None:
    """Wherever the command is given, the folder that holds them is the bot's."""
    write(
        tmp_path,
        **{
            "agents/mine": ABOVE,
            "src/search": SEARCH,
            "src/values": "CENTER = [0, 1, 2, 3, 2, 1, 0]",
        },
        tools="def legal(board): return [c for c in range(7) if board[c] == 0]",
        unused="raise SystemExit",
    )
    file = "mine.py" if inner else "agents/mine.py"
    bot = pack_bot(BotSource(f"kaggle:{file}", tmp_path / inner))
    names = {file.path for file in bot.packed.manifest.files} if bot.packed else set()
    assert {"agents/mine.py", "src/search.py", "src/values.py", "tools.py"} <= names
    assert bot.launch.folder == str(tmp_path)
    found = try_out(bot.launch, (), UNCONFINED)
    assert found.boards == ("any",)


def test_a_notebook_is_refused_with_the_cell_that_writes_the_file(tmp_path: Path) -> None:
    """The author must read how to get the file that can be registered."""
    cells = [{"source": ["# Connect X"]}, {"source": ["%%writefile submission.py\n", "def agent"]}]
    (tmp_path / "mine.ipynb").write_text(json.dumps({"cells": cells}))
    with pytest.raises(SpecError, match=r"its cell 2 writes submission\.py"):
        read_spec(BotSource("kaggle:mine.ipynb", tmp_path))
    (tmp_path / "mine.ipynb").write_text(json.dumps({"cells": cells[:1]}))
    with pytest.raises(SpecError, match=r"nbconvert --to script mine\.ipynb"):
        read_spec(BotSource("kaggle:mine.ipynb", tmp_path))
