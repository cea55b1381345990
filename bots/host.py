"""The process of the built-in players: ``python -P -m bots.host`` speaks the protocol.

The process becomes any player at ``new_game`` and says ``ready`` only when all code of that player
is compiled or loaded. Standard output belongs to the protocol alone: the prints of a library go to
standard error.
"""

import contextlib
import gc
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

from bots.budget import BUDGETS
from bots.catalogue import build
from bots.errors import BotsError, ProtocolError
from bots.player import Player
from bots.protocol import (
    MAX_LINE,
    PROTOCOL,
    ErrorReply,
    Hello,
    HelloReply,
    MoveAsk,
    MoveReply,
    NewGame,
    Quit,
    Ready,
    Reply,
    Request,
    decode_request,
    encode,
)
from engine.board import Board
from engine.errors import EngineError

NAME = "connect4-ladder"
UNUSED = ("coverage", "scipy")
"""Packages that numba loads wherever they are installed, for features that no kernel uses: a third
of the time that a start takes."""
USUAL_LINE = 464
"""Read at once, in bytes: hardly a question is longer, and Python keeps room for results of this
size at hand, while larger ones go to the C library and back."""


class LeanNumba:
    """Finder of modules that hides `UNUSED` from numba, and from nothing else."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        """Leave the search to other finders.

        Raises:
            ModuleNotFoundError: numba imports an unused package.

        """
        if name in UNUSED:
            frame: FrameType | None = sys._getframe(1)
            while frame is not None and "importlib" in frame.f_globals["__name__"]:
                frame = frame.f_back
            if frame is not None and frame.f_globals["__name__"].startswith("numba"):
                raise ModuleNotFoundError(name)


class Host:
    """Answers requests; holds the player of the game in play and nothing of former ones."""

    def __init__(self) -> None:
        self._player: Player | None = None
        self.tidy: Callable[[], None] | None = None
        """Lets a player that is `Tidy` put its memory in order after a move, when its clock stands
        still; looked up once a game and not after every move."""
        self._known: set[str] = set()

    def answer(self, request: Request) -> Reply | None:
        """The reply to a request, None where the protocol wants none.

        Raises:
            BotsError: the request cannot be fulfilled; the message says why.
            EngineError: the board is none.

        """
        if type(request) is MoveAsk:  # first and cheaply: nearly all requests are
            if self._player is None:
                raise ProtocolError("a move was asked for before a game began")
            column, info = self._player.choose(request.moves)
            return MoveReply(column, info, request.ply)
        match request:
            case NewGame():
                return self._begin(request)
            case Hello():
                if request.protocol != PROTOCOL:
                    raise ProtocolError(f"this host speaks protocol {PROTOCOL} only")
                return HelloReply(NAME, "built-in", tuple(BUDGETS))
            case _:
                return None

    def _begin(self, game: NewGame) -> Ready:
        # The former player goes before the next one is built: two trees need not fit at once.
        self._player = self.tidy = None
        if not isinstance(game.player, str):
            raise ProtocolError("new_game must say which built-in player to be")
        if game.connect != 4:
            raise ProtocolError(f"the built-in players connect 4, not {game.connect}")
        board = Board(game.rows, game.columns, game.forbidden)
        self._player = build(
            game.player, board=board, side=game.side, seed=game.seed, budget=game.budget
        )
        self.tidy = getattr(self._player, "tidy", None)
        if self._known:  # at first there is no former player, and nothing worth a look at all
            gc.collect()
        if game.player not in self._known:
            self._known.add(game.player)
            # Modules and kernels loaded just now stay for ever: keep the collector off them, and
            # off the clock of every move.
            gc.freeze()
        return Ready()


def lines(source: int) -> Iterator[bytes]:
    """Lines read from a file descriptor until its end, the newline stripped.

    Raises:
        ProtocolError: a line is longer than the protocol allows.

    """
    rest = b""
    while block := os.read(source, USUAL_LINE if not rest else MAX_LINE):
        if block.find(b"\n") == len(block) - 1 and not rest:
            yield block
            continue
        *whole, rest = (rest + block).split(b"\n")
        yield from whole
        if len(rest) > MAX_LINE:
            raise ProtocolError(f"a line is longer than {MAX_LINE} bytes")


def write(target: int, message: Reply) -> None:
    """Write a whole message."""
    data = encode(message)
    written = os.write(target, data)
    while written < len(data):
        written += os.write(target, data[written:])


def serve(source: int, target: int) -> None:
    """Answer requests until ``quit`` or the end of the input."""
    host = Host()
    try:
        for line in lines(source):
            try:
                request = decode_request(line)
                reply = host.answer(request)
            except (BotsError, EngineError) as error:
                reply = ErrorReply(str(error))
            except Exception as error:  # the game is lost, the process and its protocol are not
                traceback.print_exc()
                reply = ErrorReply(f"{type(error).__name__}: {error}")
            if reply is not None:
                write(target, reply)
                if host.tidy is not None and type(reply) is MoveReply:
                    host.tidy()
            elif type(request) is Quit:
                return
    except ProtocolError as error:
        write(target, ErrorReply(str(error)))


def main() -> int:
    """Speak the protocol on the process's standard input and output."""
    source, target = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    gc.disable()
    sys.meta_path.insert(0, LeanNumba())
    try:
        serve(source, target)
    except (BrokenPipeError, KeyboardInterrupt):
        return 1
    return 0


def leave(status: int) -> NoReturn:
    """End the process: the kernel frees at once what Python would take apart, piece by piece."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):  # nobody reads a library's last words any more
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    leave(main())
