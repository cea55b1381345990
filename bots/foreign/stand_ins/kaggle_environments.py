# ruff: noqa: ARG001 - the parameters are Kaggle's
"""A stand-in for Kaggle's package with the names that ConnectX submissions import.

Agents call `is_win`, `play`, `negamax_agent` and `random_agent` in their games. Everything else is
there so that a file can be loaded: its environments play no games, and their results are empty.

Self-contained: the standard library of Python 3.8, and no package of this project.
"""

from __future__ import annotations

import random
import sys
from types import ModuleType
from typing import Any, Callable, Dict

__path__: list[str] = []  # makes this module a package, whose modules stand at its end
__version__ = version = "1.14"

EMPTY = 0
DEPTH = 4
"""Plies that `negamax_agent` looks ahead."""
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
CONFIGURATION = {
    "episodeSteps": 1000,
    "actTimeout": 2,
    "runTimeout": 1200,
    "agentTimeout": 60,
    "timeout": 2,
    "columns": 7,
    "rows": 6,
    "inarow": 4,
}


class Struct(Dict[str, Any]):
    """A dictionary whose keys are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def structify(value: Any) -> Any:
    """Return a value with a Struct for each dictionary in it."""
    if isinstance(value, dict):
        return Struct({key: structify(each) for key, each in value.items()})
    return [structify(each) for each in value] if isinstance(value, list) else value


def read_file(path: str, fallback: Any = None) -> Any:
    """Return the text of a file, or the fallback if it cannot be read."""
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return fallback


def get_last_callable(raw: str, fallback: Any = None, path: str | None = None) -> Any:
    """Return the last callable that source code defines, or the fallback."""
    names: dict[str, Any] = {}
    exec(compile(raw, path or "<string>", "exec"), names)  # noqa: S102 - as Kaggle does
    found = [value for value in names.values() if callable(value)]
    return found[-1] if found else fallback


class DeadlineExceeded(Exception):
    """An agent has used up its time."""


class FailedPrecondition(Exception):
    """An environment is not in the state that a call needs."""


class Internal(Exception):
    """An error of an environment."""


class InvalidArgument(Exception):
    """An argument has no meaning."""


def play(board: list[int], column: int, mark: int, config: Any) -> None:
    """Drop a stone of a player into a column."""
    empty = [cell for cell in _cells(column, config) if board[cell] == EMPTY]
    board[max(empty)] = mark


def is_win(board: list[int], column: int, mark: int, config: Any, has_played: bool = True) -> bool:
    """Return whether the player's last stone in a column wins, or would if it has not played."""
    cells = [
        cell for cell in _cells(column, config) if board[cell] == (mark if has_played else EMPTY)
    ]
    if not cells:
        return False
    row = (min(cells) if has_played else max(cells)) // config.columns

    def reach(down: int, right: int) -> int:
        """Return how many stones of the player lie in a row in a direction."""
        for distance in range(1, config.inarow):
            r, c = row + distance * down, column + distance * right
            inside = 0 <= r < config.rows and 0 <= c < config.columns
            if not inside or board[r * config.columns + c] != mark:
                return distance - 1
        return int(config.inarow) - 1

    return any(
        reach(down, right) + reach(-down, -right) + 1 >= config.inarow for down, right in DIRECTIONS
    )


def _cells(column: int, config: Any) -> range:
    """Return the cells of a column from the top."""
    return range(column, config.rows * config.columns, config.columns)


def _open_columns(board: list[int], config: Any) -> list[int]:
    return [column for column in range(config.columns) if board[column] == EMPTY]


def random_agent(obs: Any, config: Any) -> int:
    """Return a random column with room."""
    return random.choice(_open_columns(obs.board, config))


def negamax_agent(obs: Any, config: Any) -> int:
    """Return the best column of a search of four plies, ties to the middle, then at random."""

    def value(board: list[int], mark: int, depth: int) -> float:
        """Return the value of a position for the player to move: quick wins count more."""
        columns = _open_columns(board, config)
        if any(is_win(board, column, mark, config, has_played=False) for column in columns):
            return 1.0 + depth
        if depth <= 1 or not columns:
            return 0.0
        return max(-value(after(board, column, mark), 3 - mark, depth - 1) for column in columns)

    def after(board: list[int], column: int, mark: int) -> list[int]:
        """Return the board after a move."""
        copy = list(board)
        play(copy, column, mark, config)
        return copy

    def rank(column: int) -> tuple[float, float, float]:
        """Return what the choice of a column is ranked by."""
        middle = -abs(2 * column + 1 - config.columns)
        if is_win(obs.board, column, obs.mark, config, has_played=False):
            return (DEPTH + 1.0, middle, random.random())
        return (-value(after(obs.board, column, obs.mark), 3 - obs.mark, DEPTH - 1), middle, 0.0)

    return max(_open_columns(obs.board, config), key=rank)


def renderer(state: Any, env: Any) -> str:
    """Return an empty picture."""
    return ""


def interpreter(state: Any, env: Any) -> Any:
    """Return the state as it is."""
    return state


class Agent:
    """An agent of an environment."""

    def __init__(self, raw: Any = None, environment: Any = None) -> None:
        self.raw = raw
        self.environment = environment


class Trainer:
    """A game against an opponent, which is over at once."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment

    def reset(self) -> Any:
        """Return the observation of an empty board."""
        return self.environment.reset()[0].observation

    def step(self, action: Any) -> tuple[Any, int, bool, dict[str, Any]]:
        """Return the observation, no reward, the end of the game, and nothing else."""
        return self.reset(), 0, True, {}


class Environment:
    """An environment whose games are empty."""

    def __init__(self, configuration: Any = None, **options: Any) -> None:
        self.name = "connectx"
        self.version = version
        self.configuration = Struct({**CONFIGURATION, **(configuration or {})})
        self.specification = specification
        self.agents = {"random": random_agent, "negamax": negamax_agent}
        self.steps: list[Any] = []
        self.logs: list[Any] = []
        self.done = True
        self.reset()

    def reset(self, num_agents: int = 2) -> Any:
        """Return the state of an empty board."""
        size = self.configuration.rows * self.configuration.columns
        self.state = [
            Struct(
                action=0,
                reward=0,
                info=Struct(),
                status="DONE",
                observation=Struct(
                    board=[EMPTY] * size, mark=mark, step=0, remainingOverageTime=60
                ),
            )
            for mark in range(1, num_agents + 1)
        ]
        return self.state

    def step(self, actions: Any, logs: Any = None) -> Any:
        """Return the state of an empty board."""
        return self.state

    def run(self, agents: Any) -> list[Any]:
        """Return a game without moves."""
        return self.steps

    def train(self, agents: Any = None) -> Trainer:
        """Return a trainer."""
        return Trainer(self)

    def render(self, **options: Any) -> str:
        """Return an empty picture."""
        return ""

    def clone(self) -> Environment:
        """Return itself, as it never changes."""
        return self

    def toJSON(self) -> dict[str, Any]:  # noqa: N802 - Kaggle's name
        """Return a description without a game."""
        return {"name": self.name, "version": self.version, "steps": self.steps}


def make(environment: Any = "connectx", configuration: Any = None, **options: Any) -> Environment:
    """Return an environment whose games are empty."""
    return Environment(configuration)


def evaluate(
    environment: Any, agents: Any = None, configuration: Any = None, steps: Any = None,
    num_episodes: int = 1, **options: Any,
) -> list[list[int]]:  # fmt: skip
    """Return rewards of games without a winner."""
    return [[0, 0] for _ in range(num_episodes)]


def register(name: str, environment: Any) -> None:
    """Add an environment to those that are known."""
    environments[name] = environment


specification = Struct(name="connectx", version=version, agents=[2], configuration=CONFIGURATION)
environments: dict[str, Any] = {"connectx": {"specification": specification}}


def _module(
    name: str, *members: Callable[..., Any] | ModuleType | Any, **values: Any
) -> ModuleType:
    """Register a module of this package with its members, and return it."""
    module = ModuleType(f"{__name__}.{name}")
    module.__path__ = []
    for each in members:
        setattr(module, each.__name__.rpartition(".")[2], each)
    for key, value in values.items():
        setattr(module, key, value)
    sys.modules[module.__name__] = module
    return module


utils = _module("utils", Struct, structify, read_file, get_last_callable)
errors = _module("errors", DeadlineExceeded, FailedPrecondition, Internal, InvalidArgument)
core = _module("core", Environment, make, evaluate, register, environments=environments)
agent = _module("agent", Agent, get_last_callable)
_connectx = _module(
    "envs.connectx.connectx",
    is_win, play, negamax_agent, random_agent, renderer, interpreter,
    specification=specification,
    agents={"random": random_agent, "negamax": negamax_agent},
)  # fmt: skip
envs = _module("envs", connectx=_module("envs.connectx", _connectx))
