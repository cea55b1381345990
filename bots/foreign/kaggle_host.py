"""Hosts a Kaggle ConnectX agent: ``python kaggle_host.py FOLDER FILE``.

The agent is the last callable that the file defines, called with an observation and, when it takes
two parameters, a configuration; both have attributes and keys. The file is executed anew for every
game, so that what an agent keeps in globals is that of one game, as on Kaggle.

Self-contained: the standard library of Python 3.8, and nothing of ours.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import sys
import traceback
from types import ModuleType
from typing import Any, Callable, Dict

Message = Dict[str, Any]
DEFAULT_ACT_TIMEOUT_S = 2.0
"""Kaggle's own, for games without a time budget."""


class Failure(Exception):
    """A sentence for the bot's author."""


class Struct(Dict[str, Any]):
    """A dictionary whose keys are attributes too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class Host:
    """Answers the harness's messages with one agent."""

    def __init__(self, folder: str, file: str) -> None:
        self.folder = folder
        self.path = os.path.normpath(os.path.join(folder, file))
        self.agent: Callable[..., Any] | None = None
        self.fresh = False
        """Whether the file was executed and no game played since."""
        self.parameters = 2
        self.game: Message = {}

    def hello(self, message: Message) -> Message:
        """Load the agent and introduce it; ConnectX has no forbidden cells."""
        self.load()
        name = os.path.splitext(os.path.basename(self.path))[0]
        return {"type": "hello", "name": name, "budgets": ["any"], "boards": ["any"]}

    def load(self) -> None:
        """Execute the file and find the agent in it."""
        module = ModuleType("submission")
        module.__file__ = self.path
        sys.modules["submission"] = module
        with open(self.path, "rb") as file:
            code = compile(file.read(), self.path, "exec")
        exec(code, module.__dict__)  # noqa: S102 - this is the program that we were asked to run
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
            raise Failure("a Kaggle agent knows no forbidden cell")
        if not self.fresh:
            self.load()
        self.fresh = False
        self.game = message
        return {"type": "ready"}

    def move(self, message: Message) -> Message:
        """Show the agent the position and take its column."""
        if self.agent is None:
            raise Failure("a move was asked for before a game began")
        moves = message["moves"]
        arguments = [self.observation(moves), self.configuration()][: self.parameters]
        chosen = self.agent(*arguments)
        if not isinstance(chosen, bool):
            try:
                column = int(chosen.__index__())
                return {"type": "move", "ply": message["ply"], "column": column}
            except (AttributeError, TypeError):
                pass
        name = getattr(self.agent, "__name__", type(self.agent).__name__)
        taken = (
            ""
            if name in ("agent", "act")
            else f"; {name} was taken as the agent, for it is the last callable of the file"
        )
        raise Failure(f"the agent returned {chosen!r}, which is no column{taken}")

    def observation(self, moves: list[int]) -> Struct:
        """The board as Kaggle shows it: one flat list, the top row first, 1 the first player."""
        rows, columns = self.game["rows"], self.game["columns"]
        board = [0] * (rows * columns)
        bottoms = [(rows - 1) * columns + column for column in range(columns)]
        for ply, column in enumerate(moves):
            board[bottoms[column]] = 1 + ply % 2
            bottoms[column] -= columns
        return Struct(
            board=board, mark=1 + self.game["side"], step=len(moves), remainingOverageTime=0
        )

    def configuration(self) -> Struct:
        """The rules and the time."""
        time_ms = self.game["budget"].get("time_ms")
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


def parameters_of(agent: Callable[..., Any]) -> int:
    """How many of observation and configuration the agent takes."""
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


def explain(error: BaseException, path: str) -> str:
    """The last line of the traceback and where it happened, in the bot's own files if possible."""
    if isinstance(error, Failure):
        return str(error)
    text = traceback.format_exception_only(type(error), error)[-1].strip()
    if isinstance(error, SyntaxError):
        return f"{text} ({error.filename}, line {error.lineno})"
    if isinstance(error, ModuleNotFoundError):
        text += f"; the interpreter is {sys.executable}, --python chooses another"
    frames = list(traceback.extract_tb(error.__traceback__))
    theirs = [frame for frame in frames if frame.filename != __file__ and "<" not in frame.filename]
    own = [
        frame
        for frame in theirs
        if frame.filename.startswith(os.path.dirname(path))
        and "site-packages" not in frame.filename
    ]
    own = own or theirs
    if not own:
        return text
    return f"{text} ({own[-1].filename}, line {own[-1].lineno}, in {own[-1].name})"


def serve(host: Host, source: int, target: int) -> None:
    """Answer lines until ``quit`` or the end of the input."""
    rest = b""
    while True:
        block = os.read(source, 65536)
        if not block:
            return
        lines: list[bytes] = (rest + block).split(b"\n")
        rest = lines.pop()
        for line in lines:
            message = json.loads(line)
            kind = message.get("type")
            if kind == "quit":
                return
            answer = {"hello": host.hello, "new_game": host.new_game, "move": host.move}.get(kind)
            if answer is not None:
                try:
                    data = json.dumps(answer(message))
                except BaseException as error:  # an agent that calls sys.exit has failed, too
                    if not isinstance(error, Failure):
                        traceback.print_exc()
                    data = json.dumps({"type": "error", "message": explain(error, host.path)})
                write(target, data.encode() + b"\n")


def write(target: int, data: bytes) -> None:
    """Write all of it."""
    while data:
        data = data[os.write(target, data) :]


def main(arguments: list[str]) -> None:
    """Keep standard output for the protocol: whatever the agent prints goes to standard error."""
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    folder, file = arguments
    host = Host(folder, file)
    # What lies beside the submission is imported before all else; this script's folder never is.
    here = os.path.dirname(os.path.abspath(__file__))
    beside = os.path.dirname(os.path.abspath(host.path))
    sys.path[:] = [beside] + [place for place in sys.path if place != here]
    sys.argv = [file]
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        serve(host, source, target)
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
