"""Kaggle ConnectX submissions, hosted apart."""

from pathlib import Path

import pytest

from bots.budget import Clock
from bots.protocol import Budget
from engine.result import Termination
from tests.support.hosted import entrant, games_of, play, refusal, tried

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
GLOBALS = """
seen = []

def agent(obs, config):
    if obs.step < 4:
        assert len(seen) == 0, "the former game is still here"
    seen.append(obs.step)
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


@pytest.mark.slow
def test_an_agent_of_one_parameter_gets_the_observation(tmp_path: Path) -> None:
    """It must be called with what it takes."""
    tried(submission(tmp_path, ONE), tmp_path)


@pytest.mark.slow
def test_marks_and_rows_are_kaggle_s(tmp_path: Path) -> None:
    """The first player must be 1, and the bottom row the last of the list."""
    text = """
def agent(obs, config):
    if obs.step == 2:  # after the opening 3 3
        assert obs.board[-4:] == [1, 0, 0, 0] and obs.board[-11] == 2 and obs.mark == 1
    return 0 if obs.board[0] == 0 else 1
"""
    game = games_of(play(entrant(submission(tmp_path, text), tmp_path), "6x7"))[0]
    assert "Error" not in game.detail


@pytest.mark.slow
def test_globals_are_fresh_in_every_game(tmp_path: Path) -> None:
    """What an agent keeps must be that of one game, though its process is kept."""
    games = games_of(play(entrant(submission(tmp_path, GLOBALS), tmp_path), "6x7", pairs=2))
    assert [game.detail for game in games] == [""] * 4


@pytest.mark.slow
def test_act_timeout_is_the_budget(tmp_path: Path) -> None:
    """The limit actTimeout must be the budget in seconds."""
    text = "def agent(o, c):\n    raise ValueError(f'I have {c.actTimeout} s')\n"
    assert "I have 0.1 s" in refusal(submission(tmp_path, text), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\n", "defines no function"),
        ("def agent(obs, config): return 3\ndef main(): pass\n", "the agent must come last"),
        ("def agent(obs, config): return None\n", "returned None, which is not a column"),
        (
            "def agent(obs, config): return 3\ndef helper(board, mark): return []\n",
            "returned [], which is not a column; helper was taken as the agent",
        ),
        ("def agent(obs, config): return obs.nothing\n", "AttributeError"),
        ("def agent(:\n", "SyntaxError"),
    ],
)
def test_a_file_without_an_agent_is_explained(tmp_path: Path, text: str, expected: str) -> None:
    """The author must read why, and where."""
    sentence = refusal(submission(tmp_path, text), tmp_path)
    assert expected in sentence
    if "Error" in expected:
        assert "submission.py, line 1" in sentence


@pytest.mark.slow
def test_a_full_column_is_an_illegal_move(tmp_path: Path) -> None:
    """An agent that always plays one column must forfeit by the referee's word."""
    spec = submission(tmp_path, "def agent(obs, config): return 2\n")
    games = games_of(play(entrant(spec, tmp_path), "4x5", pairs=4))
    assert Termination.ILLEGAL_MOVE in {game.termination for game in games}


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
