"""Hosts a Kaggle ConnectX agent: ``python start_host.py kaggle FOLDER FILE[:NAME]``.

The file is a Python file, or an archive with a ``main.py`` at its top. The agent is the callable of
the name, or the last one that the Python file defines. It is called with an observation and a
configuration, or as many of them as it takes; both have attributes and keys.

Self-contained: the standard library of Python 3.8, and no package of this project.
"""

from __future__ import annotations

import os
import random
import sys
from typing import TYPE_CHECKING

from .host_loop import Failure, Host, Message, whole_number
from .kaggle_submission import Submission
from .stand_ins.kaggle_environments import Struct

if TYPE_CHECKING:
    from typing import TypeGuard

DEFAULT_ACT_TIMEOUT_S = 2.0
"""Kaggle's default, for games without a time budget."""


class Configuration(Struct):
    """The configuration of a game."""

    @property
    def steps(self) -> int:
        """The limit of moves, as early releases called it; strict readers refuse it as a key."""
        return int(self["episodeSteps"])


class KaggleHost(Host):
    """The host of one agent."""

    def __init__(self, folder: str, target: str) -> None:
        file, _, self.agent_name = target.partition(":")
        self.folder = folder
        self.path = os.path.normpath(os.path.join(folder, file))
        self.submission: Submission | None = None
        self.game: Message = {}

    def hello(self, message: Message) -> Message:
        """Load the agent and introduce it; ConnectX has no forbidden cells."""
        self.own_folders = (os.path.join(os.path.dirname(os.path.abspath(self.path)), ""),)
        random.seed(0)
        self.submission = Submission(self.folder, self.path, self.agent_name)
        self.own_folders = self.submission.folders
        self.move_note = self.submission.note
        return {
            "type": "hello",
            "name": os.path.basename(self.path).split(".")[0],
            "budgets": ["any", "clock", "overage"],
            "boards": ["any"],
        }

    def new_game(self, message: Message) -> Message:
        """Prepare for a game, whose seed becomes that of the agent's random numbers."""
        if message.get("forbidden") is not None:
            raise Failure("a Kaggle agent cannot play on a board with a forbidden cell")
        self.game = message
        seed = 2 * message["seed"] + message["side"]
        random.seed(seed)
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            numpy.random.seed(seed % 2**32)
        return {"type": "ready"}

    def move(self, message: Message) -> Message:
        """Show the agent the position and return its column."""
        submission = self.submission
        if submission is None:
            raise Failure("a move was asked for before a game began")
        moves, clock = message["moves"], message.get("clock")
        configuration = self.configuration(clock)
        arguments = [self.observation(moves, clock), configuration][: submission.parameters]
        chosen = submission.run(submission.agent, *arguments)
        column = whole_number(chosen)
        if column is not None:
            return {"type": "move", "ply": message["ply"], "column": column}
        raise Failure(
            f"the agent returned {chosen!r}, which is not a column (its actTimeout was "
            f"{configuration.actTimeout:g} s)"
        )

    def observation(self, moves: list[int], clock: Message | None = None) -> Struct:
        """Return the board in Kaggle's form: a flat list, top row first, 1 for the first player.

        Of a clock, `configuration` shows a fair part as the time of the move; the rest is overage.
        """
        overage_ms = 0 if clock is None else clock["yours_ms"]
        if is_for_game(clock):
            overage_ms = max(0, overage_ms - clock["move_ms"])
        rows, columns = self.game["rows"], self.game["columns"]
        board = [0] * (rows * columns)
        bottoms = [(rows - 1) * columns + column for column in range(columns)]
        for ply, column in enumerate(moves):
            board[bottoms[column]] = 1 + ply % 2
            bottoms[column] -= columns
        return Struct(
            board=board,
            mark=1 + self.game["side"],
            step=len(moves),
            remainingOverageTime=overage_ms / 1000,
        )

    def configuration(self, clock: Message | None = None) -> Configuration:
        """Return Kaggle's configuration: the rules and the time."""
        time_ms = self.game["budget"].get("time_ms")
        if is_for_game(clock):
            time_ms = clock["move_ms"]
        seconds = DEFAULT_ACT_TIMEOUT_S if time_ms is None else time_ms / 1000
        return Configuration(
            __raw_path__=self.path if self.submission is None else self.submission.path,
            rows=self.game["rows"],
            columns=self.game["columns"],
            inarow=self.game.get("connect", 4),
            actTimeout=seconds,
            timeout=seconds,
            agentTimeout=60,
            runTimeout=1200,
            episodeSteps=1000,
        )


def is_for_game(clock: Message | None) -> TypeGuard[Message]:
    """Return whether it is the clock of a game, and not an overage beside a time per move."""
    return clock is not None and not clock.get("time_ms")


def make_host(folder: str, target: str) -> Host:
    """Return the host of the agent that ``FILE[:NAME]`` means in the folder."""
    sys.argv = [target.partition(":")[0]]
    return KaggleHost(folder, target)
