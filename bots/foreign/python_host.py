"""Hosts a Python class: ``python python_host.py FOLDER FILE:CLASS`` or ``... MODULE:CLASS``.

The class has ``new_game(board, side, seed, budget)``, where `board` and `budget` are dictionaries
(``{"rows": 6, "columns": 7, "connect": 4, "forbidden": None}``, ``{"time_ms": 100}``), and
``choose(moves)``, which returns a column or a column and a dictionary of information. It is made
once and plays many games. Its attributes `name`, `version`, `budgets` and `boards`, where it has
them, are said in the hello.

Self-contained: the standard library of Python 3.8, and nothing of ours.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import os
import sys
import traceback
from typing import Any, Dict

Message = Dict[str, Any]


class Failure(Exception):
    """A sentence for the bot's author."""


class Host:
    """Answers the harness's messages with one bot."""

    def __init__(self, folder: str, target: str) -> None:
        self.folder = folder
        self.target = target
        self.bot: Any = None

    def hello(self, message: Message) -> Message:
        """Load the bot and introduce it."""
        bot_class = load(self.folder, self.target)
        self.bot = bot_class()
        for method in ("new_game", "choose"):
            if not callable(getattr(self.bot, method, None)):
                raise Failure(f"{self.target} has no method {method}")
        reply: Message = {
            "type": "hello",
            "name": str(getattr(self.bot, "name", self.target.rpartition(":")[2])),
            "version": str(getattr(self.bot, "version", "")),
            "budgets": list(getattr(self.bot, "budgets", ("any",))),
        }
        boards = getattr(self.bot, "boards", None)
        if boards is not None:
            reply["boards"] = list(boards)
        return reply

    def new_game(self, message: Message) -> Message:
        """Prepare the bot for a game."""
        board = {key: message.get(key) for key in ("rows", "columns", "connect", "forbidden")}
        self.bot.new_game(board, message["side"], message["seed"], message["budget"])
        return {"type": "ready"}

    def move(self, message: Message) -> Message:
        """Ask the bot for a column."""
        chosen = self.bot.choose(message["moves"])
        info = None
        if isinstance(chosen, (tuple, list)):
            if len(chosen) != 2:
                raise Failure(
                    f"choose returned {chosen!r}: a column, or a column and a dictionary, is wanted"
                )
            chosen, info = chosen
        reply: Message = {"type": "move", "ply": message["ply"], "column": whole(chosen)}
        if info is not None:
            if not isinstance(info, dict):
                raise Failure(f"the information of choose is {info!r}, not a dictionary")
            reply["info"] = info
        return reply


def whole(value: Any) -> int:
    """A column, also from a library's own kind of whole number."""
    if not isinstance(value, bool):
        try:
            return int(value.__index__())
        except (AttributeError, TypeError):
            pass
    raise Failure(f"choose returned {value!r}, which is no column")


def load(folder: str, target: str) -> Any:
    """The class that ``FILE.py:CLASS`` or ``MODULE:CLASS`` names, relative to the folder."""
    where, _, name = target.rpartition(":")
    if where.endswith(".py"):
        path = os.path.normpath(os.path.join(folder, where))
        # As `python FILE` has it: what lies beside the file is imported before all else.
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
        stem = os.path.splitext(os.path.basename(path))[0]
        spec = importlib.util.spec_from_file_location(stem, path)
        if spec is None or spec.loader is None:
            raise Failure(f"{path} cannot be loaded as Python")
        module = importlib.util.module_from_spec(spec)
        sys.modules[stem] = module  # pickle and dataclasses look a class's module up
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, folder)
        module = importlib.import_module(where)
    found = getattr(module, name, None)
    if not isinstance(found, type):
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise Failure(
            "{} has no class {}: it has {}".format(where, name, ", ".join(classes) or "none")
        )
    return found


def plain(value: Any) -> Any:
    """A plain value for one that JSON does not know, such as a number of another library."""
    for method in ("item", "tolist"):
        if hasattr(value, method):
            return getattr(value, method)()
    return str(value)


def explain(error: BaseException, folder: str) -> str:
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
    places = own_folders(folder)
    own = [
        frame
        for frame in theirs
        if frame.filename.startswith(places) and "site-packages" not in frame.filename
    ]
    own = own or theirs
    if not own:
        return text
    return f"{text} ({own[-1].filename}, line {own[-1].lineno}, in {own[-1].name})"


def own_folders(folder: str) -> tuple[str, ...]:
    """Where the bot's own files lie."""
    return tuple({os.path.join(folder, ""), os.path.join(sys.path[0], "")})


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
            reply: Message | None = None
            answer = {"hello": host.hello, "new_game": host.new_game, "move": host.move}.get(kind)
            if answer is not None:
                try:
                    reply = answer(message)
                    data = json.dumps(reply, default=plain, allow_nan=False)
                except BaseException as error:  # a bot that calls sys.exit has failed, too
                    if not isinstance(error, Failure):
                        traceback.print_exc()
                    data = json.dumps({"type": "error", "message": explain(error, host.folder)})
                write(target, data.encode() + b"\n")


def write(target: int, data: bytes) -> None:
    """Write all of it."""
    while data:
        data = data[os.write(target, data) :]


def main(arguments: list[str]) -> None:
    """Keep standard output for the protocol: whatever the bot prints goes to standard error."""
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    folder, bot = arguments
    sys.path[:] = [
        place for place in sys.path if place != os.path.dirname(os.path.abspath(__file__))
    ]
    sys.argv = [bot]
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        serve(Host(folder, bot), source, target)
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
