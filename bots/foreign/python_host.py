"""Hosts a Python class: ``python start_host.py python FOLDER FILE:CLASS`` or ``... MODULE:CLASS``.

The class has ``new_game(board, side, seed, budget)``, where `board` and `budget` are dictionaries
(``{"rows": 6, "columns": 7, "connect": 4, "forbidden": None}``, ``{"time_ms": 100}``), and
``choose(moves)``, which returns a column, a column and a dictionary of information, or the string
"resign" to give the game up. A class with ``clock`` or ``overage`` among its `budgets` has
``choose(moves, clock)``, where `clock` is the dictionary of the remaining times, or None. One
instance plays all games. Its optional attributes `name`, `version`, `budgets` and `boards` are sent
in the hello.

Self-contained: the standard library of Python 3.8, and no package of this project.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from typing import Any

from .host_loop import Failure, Host, Message, whole_number


class PythonHost(Host):
    """The host of one instance of the class."""

    def __init__(self, folder: str, target: str) -> None:
        self.folder = folder
        self.target = target
        beside = os.path.dirname(os.path.normpath(os.path.join(folder, target.rpartition(":")[0])))
        self.own_folders = (os.path.join(folder, ""), os.path.join(os.path.abspath(beside), ""))
        self.bot: Any = None
        self.reads_clock = False

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
        self.reads_clock = not {"clock", "overage"}.isdisjoint(reply["budgets"])
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
        clock = (message.get("clock"),) if self.reads_clock else ()
        chosen = self.bot.choose(message["moves"], *clock)
        if isinstance(chosen, str) and chosen == "resign":
            return {"type": "resign"}
        info = None
        if isinstance(chosen, (tuple, list)):
            if len(chosen) != 2:
                raise Failure(
                    f"choose returned {chosen!r}: return a column, or a column and a dictionary"
                )
            chosen, info = chosen
        column = whole_number(chosen)
        if column is None:
            raise Failure(f'choose returned {chosen!r}, which is neither a column nor "resign"')
        reply: Message = {"type": "move", "ply": message["ply"], "column": column}
        if info is not None:
            if not isinstance(info, dict):
                raise Failure(
                    f"choose returned the information {info!r}, which is not a dictionary"
                )
            reply["info"] = info
        return reply


def load(folder: str, target: str) -> Any:
    """Return the class that ``FILE.py:CLASS`` or ``MODULE:CLASS`` names, relative to the folder."""
    where, _, name = target.rpartition(":")
    if where.endswith(".py"):
        path = os.path.normpath(os.path.join(folder, where))
        # As with `python FILE`, modules beside the file have precedence.
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
        stem = os.path.splitext(os.path.basename(path))[0]
        spec = importlib.util.spec_from_file_location(stem, path)
        if spec is None or spec.loader is None:
            raise Failure(f"{path} cannot be loaded as Python")
        module = importlib.util.module_from_spec(spec)
        sys.modules[stem] = module  # pickle and dataclasses look up a class's module
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, folder)
        module = importlib.import_module(where)
    found = getattr(module, name, None)
    if callable(found) and not isinstance(found, type):
        raise Failure(
            f"{where}: {name} is a function, and python: needs a class with new_game and choose: "
            f"write one, or add a function {name}(observation, configuration) by kaggle:"
        )
    if not isinstance(found, type):
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise Failure(
            "{} has no class {}: it has {}".format(where, name, ", ".join(classes) or "none")
        )
    return found


def make_host(folder: str, target: str) -> Host:
    """Return the host of the class that the target names in the folder."""
    sys.argv = [target]
    return PythonHost(folder, target)
