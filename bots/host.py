"""The process of the built-in players: ``python -P -m bots.host`` speaks the protocol.

``new_game`` selects the player; the process answers ``ready`` once all code of that player is
compiled or loaded. Standard output is reserved for the protocol: output of libraries goes to
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

from bots.budget import HELLO_BUDGETS, Budget, RemainingTime
from bots.catalogue import build
from bots.errors import BotsError, ProtocolError
from bots.game_clock import GameClock, moves_left
from bots.player import Player, TimedPlayer
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
"""Packages that numba imports if they are installed, for features that no kernel uses; they would
take a third of the start-up time."""
USUAL_EXCESS = 4
"""A player's first moves under a clock take at most this multiple of an equal share."""
USUAL_LINE = 464
"""Bytes per read: hardly any request is longer, and Python allocates results of this size without
the C library."""


class UnusedImportBlocker:
    """An import finder that hides `UNUSED` from numba only."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        """Leave all imports to other finders, except those that are hidden.

        Raises:
            ModuleNotFoundError: numba imports an unused package.

        """
        if name in UNUSED:
            frame: FrameType | None = sys._getframe(1)
            while frame is not None and "importlib" in frame.f_globals["__name__"]:
                frame = frame.f_back
            if frame is not None and frame.f_globals["__name__"].startswith("numba"):
                raise ModuleNotFoundError(name)


class PlayerHost:
    """The state of the host: the player of the current game."""

    def __init__(self) -> None:
        self._player: Player | None = None
        self.tidy: Callable[[], None] | None = None
        """The player's `tidy` if it is `Tidy`, called after a move when its clock is stopped;
        looked up once per game."""
        self._loaded: set[str] = set()

    def answer(self, request: Request) -> Reply | None:
        """Return the reply to a request, or None if it has no reply.

        Raises:
            BotsError: the request cannot be fulfilled.
            EngineError: the board is invalid.

        """
        if type(request) is MoveAsk:  # first, because nearly all requests are moves
            if self._player is None:
                raise ProtocolError("a move was requested before a game began: send new_game first")
            if type(request.clock) is RemainingTime and isinstance(self._player, TimedPlayer):
                self._player.set_clock(request.clock, request.ply)
            column, info = self._player.choose(request.moves)
            return MoveReply(column, info, request.ply)
        match request:
            case NewGame():
                return self._begin(request)
            case Hello():
                if request.protocol != PROTOCOL:
                    raise ProtocolError(
                        f"protocol {request.protocol} is not supported, only {PROTOCOL}"
                    )
                return HelloReply(NAME, "built-in", HELLO_BUDGETS)
            case _:
                return None

    def _begin(self, game: NewGame) -> Ready:
        # Free the last player before building the next: two trees need not fit in memory.
        self._player = self.tidy = None
        if not isinstance(game.player, str):
            raise ProtocolError(
                "new_game names no player: the host of the built-in players needs one, such as v18"
            )
        if game.connect != 4:
            raise ProtocolError(f"the built-in players cannot connect {game.connect}, only 4")
        board = Board(game.rows, game.columns, game.forbidden)
        self._player = build(
            game.player,
            board=board,
            side=game.side,
            seed=game.seed,
            budget=first_move_budget(game.budget, board),
        )
        self.tidy = getattr(self._player, "tidy", None)
        if self._loaded:  # the first game has nothing to collect
            gc.collect()
        if game.player not in self._loaded:
            self._loaded.add(game.player)
            # Modules and kernels just loaded are never freed: exclude them from garbage
            # collection, which would run during moves.
            gc.freeze()
        return Ready()


def first_move_budget(budget: Budget, board: Board) -> Budget:
    """Return the budget for which a player allocates its memory: of the longest usual move."""
    clock = GameClock.of(budget)
    if clock is None or not budget.has_bank:
        return budget
    return Budget(time_ms=USUAL_EXCESS * clock.share_ms(moves_left(board.cells, 0)))


def read_lines(source: int) -> Iterator[bytes]:
    """Yield the lines of a file descriptor without their newline.

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
    host = PlayerHost()
    try:
        for line in read_lines(source):
            try:
                request = decode_request(line)
                reply = host.answer(request)
            except (BotsError, EngineError) as error:
                reply = ErrorReply(str(error))
            except Exception as error:  # the game is lost, but the process serves the next
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
    sys.meta_path.insert(0, UnusedImportBlocker())
    try:
        serve(source, target)
    except (BrokenPipeError, KeyboardInterrupt):
        return 1
    return 0


def exit_now(status: int) -> NoReturn:
    """Exit at once: the kernel frees memory faster than the interpreter's shutdown."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):  # output of libraries may have no reader any more
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    exit_now(main())
