"""Hosts a Kaggle ConnectX agent: ``python start_host.py kaggle FOLDER FILE``.

The file is a Python file, or an archive with a ``main.py`` at its top. The agent is the last
callable that the Python file defines. It is called with an observation and, if it takes two
parameters, a configuration; both have attributes and keys.

On Kaggle the submission lies in ``/kaggle_simulations/agent``. Here each mention of that folder in
its Python files is read as the folder of the Python file.

Self-contained: the standard library of Python 3.8, and no package of this project.
"""

from __future__ import annotations

import os
import random
import sys
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)
from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable, Dict

from .host_loop import Failure, Host, Message, whole_number

if TYPE_CHECKING:
    from typing import TypeGuard

DEFAULT_ACT_TIMEOUT_S = 2.0
"""Kaggle's default, for games without a time budget."""
ARCHIVES = (".tar.gz", ".tgz")
MAIN = "main.py"
"""The file of an archive that defines the agent."""
KAGGLE_FOLDER = b"/kaggle_simulations/agent"


class Struct(Dict[str, Any]):
    """A dictionary whose keys are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class AgentLoader(SourceFileLoader):
    """Loads a module of the submission, in which the folder of Kaggle means the real one."""

    folder: bytes
    """The submission's folder."""

    def get_code(self, fullname: str) -> Any:
        """Return the code of a module; compiled code is kept only for a module without the name."""
        path = self.get_filename(fullname)
        source = self.get_data(path)
        if KAGGLE_FOLDER not in source:
            return super().get_code(fullname)
        return compile(source.replace(KAGGLE_FOLDER, self.folder), path, "exec")


class KaggleHost(Host):
    """The host of one agent."""

    def __init__(self, folder: str, file: str) -> None:
        self.path = os.path.normpath(os.path.join(folder, file))
        self.name = os.path.basename(self.path).split(".")[0]
        self.agent: Callable[..., Any] | None = None
        self.parameters = 2
        self.game: Message = {}

    def hello(self, message: Message) -> Message:
        """Load the agent and introduce it; ConnectX has no forbidden cells."""
        if self.path.endswith(ARCHIVES):
            self.path = unpack_main(self.path)
        self.load()
        return {
            "type": "hello",
            "name": self.name,
            "budgets": ["any", "clock", "overage"],
            "boards": ["any"],
        }

    def load(self) -> None:
        """Execute the file and find the agent in it."""
        folder = os.path.dirname(os.path.abspath(self.path))
        self.own_folders = (os.path.join(folder, ""),)
        AgentLoader.folder = os.fsencode(folder)
        sys.path_hooks.insert(0, self.find_own_modules)
        sys.path.insert(0, folder)  # as on Kaggle, modules beside the file have precedence
        random.seed(0)
        module = ModuleType("submission")
        module.__file__ = self.path
        sys.modules["submission"] = module
        code = AgentLoader("submission", self.path).get_code("submission")
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
        name = getattr(self.agent, "__name__", type(self.agent).__name__)
        if name not in ("agent", "act"):
            self.move_note = (
                f"; {name} was taken as the agent, for it is the last callable of the file"
            )

    def find_own_modules(self, place: str) -> FileFinder:
        """Return the finder of the modules in a folder of the submission."""
        if not os.path.join(place, "").startswith(self.own_folders):
            raise ImportError
        return FileFinder(
            place,
            (ExtensionFileLoader, EXTENSION_SUFFIXES),
            (AgentLoader, SOURCE_SUFFIXES),
            (SourcelessFileLoader, BYTECODE_SUFFIXES),
        )

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
        if self.agent is None:
            raise Failure("a move was asked for before a game began")
        moves, clock = message["moves"], message.get("clock")
        configuration = self.configuration(clock)
        arguments = [self.observation(moves, clock), configuration][: self.parameters]
        chosen = self.agent(*arguments)
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


def unpack_main(archive: str) -> str:
    """Unpack an archive into the process's scratch folder; return the path of its main file."""
    # imported here because they take as long as the rest of the host
    import tarfile
    import tempfile

    folder = tempfile.mkdtemp()
    try:
        with tarfile.open(archive) as files:
            if hasattr(tarfile, "data_filter"):
                files.extraction_filter = tarfile.data_filter
            files.extractall(folder)  # noqa: S202 - code of the same submission runs next
    except (tarfile.TarError, OSError, EOFError) as error:
        raise Failure(f"{archive} cannot be unpacked: {error}") from error
    path = os.path.join(folder, MAIN)
    if not os.path.isfile(path):
        names = ", ".join(sorted(os.listdir(folder))[:5])
        raise Failure(f"{archive} has no {MAIN} at its top: there are {names or 'no files'}")
    return path


def parameters_of(agent: Callable[..., Any]) -> int:
    """Return the number of arguments that the agent takes, 1 or 2."""
    import inspect  # here because it takes as long as the rest of the host

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


def make_host(folder: str, file: str) -> Host:
    """Return the host of the agent of a file in the folder."""
    sys.argv = [file]
    return KaggleHost(folder, file)
