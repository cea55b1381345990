"""Hosts a Kaggle ConnectX agent: ``python kaggle_host.py FOLDER FILE``.

The agent is the last callable that the file defines. It is called with an observation and, if it
takes two parameters, a configuration; both have attributes and keys. The file is executed again for
every game, so an agent's globals belong to one game, as on Kaggle.

Self-contained: the standard library of Python 3.8, and no package of this project.
"""

from __future__ import annotations

import inspect
import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable, Dict

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
if TYPE_CHECKING:
    from typing import TypeGuard

    from bots.foreign.ladder_host_loop import Failure, Host, Message, serve, whole_number
else:
    from ladder_host_loop import Failure, Host, Message, serve, whole_number
sys.path[:] = [place for place in sys.path if place != HERE]

DEFAULT_ACT_TIMEOUT_S = 2.0
"""Kaggle's default, for games without a time budget."""


class Struct(Dict[str, Any]):
    """A dictionary whose keys are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class KaggleHost(Host):
    """The host of one agent."""

    def __init__(self, folder: str, file: str) -> None:
        self.folder = folder
        self.path = os.path.normpath(os.path.join(folder, file))
        self.own_folders = (os.path.join(os.path.dirname(self.path), ""),)
        self.agent: Callable[..., Any] | None = None
        self.fresh = False
        """Whether the file was executed but has not played yet."""
        self.parameters = 2
        self.game: Message = {}

    def hello(self, message: Message) -> Message:
        """Load the agent and introduce it; ConnectX has no forbidden cells."""
        self.load()
        name = os.path.splitext(os.path.basename(self.path))[0]
        return {
            "type": "hello",
            "name": name,
            "budgets": ["any", "clock", "overage"],
            "boards": ["any"],
        }

    def load(self) -> None:
        """Execute the file and find the agent in it."""
        module = ModuleType("submission")
        module.__file__ = self.path
        sys.modules["submission"] = module
        with open(self.path, "rb") as file:
            code = compile(file.read(), self.path, "exec")
        exec(code, module.__dict__)  # noqa: S102 - running it is the purpose
        found = [
            value
            for name, value in vars(module).items()
            if callable(value) and not name.startswith("__")
        ]
        if not found:
            raise Failure(f"{self.path} defines no function to be the agent")
        self.agent = found[-1]
        self.parameters = parameters_of(found[-1])
        self.fresh = True

    def new_game(self, message: Message) -> Message:
        """Prepare for a game."""
        if message.get("forbidden") is not None:
            raise Failure("a Kaggle agent cannot play on a board with a forbidden cell")
        if not self.fresh:
            self.load()
        self.fresh = False
        self.game = message
        return {"type": "ready"}

    def move(self, message: Message) -> Message:
        """Show the agent the position and return its column."""
        if self.agent is None:
            raise Failure("a move was asked for before a game began")
        moves, clock = message["moves"], message.get("clock")
        shown = [self.observation(moves, clock), self.configuration(clock)]
        arguments = shown[: self.parameters]
        chosen = self.agent(*arguments)
        column = whole_number(chosen)
        if column is not None:
            return {"type": "move", "ply": message["ply"], "column": column}
        name = getattr(self.agent, "__name__", type(self.agent).__name__)
        taken = (
            ""
            if name in ("agent", "act")
            else f"; {name} was taken as the agent, for it is the last callable of the file"
        )
        raise Failure(f"the agent returned {chosen!r}, which is not a column{taken}")

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

    def configuration(self, clock: Message | None = None) -> Struct:
        """Return Kaggle's configuration: the rules and the time."""
        time_ms = self.game["budget"].get("time_ms")
        if is_for_game(clock):
            time_ms = clock["move_ms"]
        seconds = DEFAULT_ACT_TIMEOUT_S if time_ms is None else time_ms / 1000
        return Struct(
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


def parameters_of(agent: Callable[..., Any]) -> int:
    """Return the number of arguments that the agent takes, 1 or 2."""
    try:
        parameters = inspect.signature(agent).parameters.values()
    except (TypeError, ValueError):
        return 2
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return 2
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    count = sum(each.kind in places for each in parameters)
    if count == 0:
        raise Failure(
            "the last callable of the file, {}, takes no parameter: the agent must come "
            "last".format(getattr(agent, "__name__", agent))
        )
    return min(count, 2)


if __name__ == "__main__":
    folder, file = sys.argv[1:]
    host = KaggleHost(folder, file)
    # Modules beside the submission have precedence.
    sys.path.insert(0, os.path.dirname(os.path.abspath(host.path)))
    sys.argv = [file]
    serve(host)
