"""The loop that all hosts of foreign bots share: read a message, write the answer.

Self-contained: the standard library of Python 3.8, and no package of this project.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import Any, Dict

Message = Dict[str, Any]


class Failure(Exception):
    """A failure; its message is one sentence for the bot's author."""


class Illegal(Failure):
    """An illegal move; the message lists the legal ones."""


class Host:
    """A bot, with one method per message that returns the answer."""

    own_folders: tuple[str, ...] = ()
    """Folders of the bot's own files, each ending with a separator."""
    move_note: str = ""
    """The end of each message about a failure in a move."""

    def hello(self, message: Message) -> Message:
        """Load the bot and introduce it."""
        raise NotImplementedError

    def new_game(self, message: Message) -> Message:
        """Prepare the bot for a game."""
        raise NotImplementedError

    def move(self, message: Message) -> Message:
        """Ask the bot for a column."""
        raise NotImplementedError

    def game_over(self, message: Message) -> None:
        """Handle the end of a game, which has no answer."""

    def close(self) -> None:
        """Handle the end of the input."""


def whole_number(value: Any) -> int | None:
    """Convert an integer of any library to an int; return None for other values."""
    if isinstance(value, bool):
        return None
    try:
        return int(value.__index__())
    except (AttributeError, TypeError):
        return None


def serve(host: Host) -> None:
    """Answer messages until ``quit`` or the end of the input.

    Standard output is reserved for the protocol: the bot's own output goes to standard error.
    """
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr  # which is not held back until the bot ends, and it may be killed
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        _answer_lines(host, source, target)
    sys.stderr.flush()
    host.close()


def _answer_lines(host: Host, source: int, target: int) -> None:
    """Answer the messages of one stream."""
    answers = {
        "hello": host.hello,
        "new_game": host.new_game,
        "move": host.move,
        "game_over": host.game_over,
    }
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
            if kind not in answers:
                continue
            try:
                reply = answers[kind](message)
                data = json.dumps(reply, default=to_plain, allow_nan=False)
            except BaseException as error:  # sys.exit by a bot is a failure, too
                text = _explain(error, host.own_folders)
                if kind == "move":
                    text += host.move_note
                reply = {"type": "error", "message": text}
                if isinstance(error, Illegal):
                    reply["illegal"] = True
                data = json.dumps(reply)
            if reply is not None:
                _write(target, data.encode() + b"\n")


def to_plain(value: Any) -> Any:
    """Convert a value that JSON does not support, such as a library's number."""
    for method in ("item", "tolist"):
        if hasattr(value, method):
            return getattr(value, method)()
    return str(value)


def _explain(error: BaseException, own_folders: tuple[str, ...]) -> str:
    """Return the error's last line and its place, in the bot's own files if possible."""
    if isinstance(error, Failure):
        return str(error)
    import traceback  # here because most bots never need it

    traceback.print_exc()
    text = traceback.format_exception_only(type(error), error)[-1].strip()
    if isinstance(error, SyntaxError):
        return f"{text} ({error.filename}, line {error.lineno})"
    if isinstance(error, ModuleNotFoundError):
        text += (
            f"; install it for {sys.executable}, choose another interpreter by --python, or put it "
            "beside the bot's file"
        )
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
    theirs = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not os.path.abspath(frame.filename).startswith(here) and "<" not in frame.filename
    ]
    own = [
        frame
        for frame in theirs
        if frame.filename.startswith(own_folders) and "site-packages" not in frame.filename
    ]
    own = own or theirs
    if not own:
        return text
    return f"{text} ({own[-1].filename}, line {own[-1].lineno}, in {own[-1].name})"


def _write(target: int, data: bytes) -> None:
    """Write all data."""
    while data:
        data = data[os.write(target, data) :]
