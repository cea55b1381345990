"""Hosts a course strategy, a shared library: ``python thu_host.py FOLDER FILE.so``.

    extern "C" Point* getPoint(const int M, const int N, const int* top, const int* board,
                               const int lastX, const int lastY, const int noX, const int noY);
    extern "C" void clearPoint(Point* p);            // struct Point { int x, y; };

The course counts x downwards from the top-left corner and y across; the harness counts rows upwards
from the bottom. ``top[y]`` is where the stack of column y begins: the next stone lands on row
top[y]-1, and 0 is a full column. A board without a forbidden cell has noX = noY = -1.

Self-contained: the standard library of Python 3.8, and no package of this project.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import re
import sys
from typing import TYPE_CHECKING, Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
if TYPE_CHECKING:
    from bots.foreign.ladder_host_loop import Failure, Host, Illegal, Message, serve
else:
    from ladder_host_loop import Failure, Host, Illegal, Message, serve
sys.path[:] = [place for place in sys.path if place != HERE]

INTERFACE_MISSING = "the course's interface is missing"
"""Begins the message about a library without the functions, for the course's result codes."""
MANGLED = {"getPoint": "_Z8getPointiiPKiS0_iiii", "clearPoint": "_Z10clearPointP5Point"}
"""The names as a C++ compiler writes them when ``extern "C"`` is forgotten."""
OPPONENT, OWN = 1, 2
RUNTIME = ("libstdc++.so.6", "libm.so.6")
UNDEFINED = re.compile(r"undefined symbol: ([^\s,()]+)")
OTHER_SYSTEM = ("version `", "wrong ELF class", "invalid ELF header")
ABSENT = re.compile(r"^([^\s:]+): cannot open shared object file")


class Point(ctypes.Structure):
    """The course's answer."""

    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_int))


class Position:
    """The board as the course's judge keeps it."""

    def __init__(self, game: Message) -> None:
        self.rows: int = game["rows"]
        self.columns: int = game["columns"]
        self.side: int = game["side"]
        forbidden = game.get("forbidden")
        self.no_x, self.no_y = -1, -1
        if forbidden is not None:
            self.no_x, self.no_y = self.rows - 1 - forbidden[0], forbidden[1]
        self.top = (ctypes.c_int * self.columns)(*[self.rows] * self.columns)
        self.board = (ctypes.c_int * (self.rows * self.columns))()
        self.last_x, self.last_y = -1, -1
        self.moves: list[int] = []
        if self.no_x == self.rows - 1:
            self.top[self.no_y] -= 1

    def follow(self, moves: list[int]) -> None:
        """Play the moves that have come since."""
        for ply in range(len(self.moves), len(moves)):
            y = moves[ply]
            x = self.top[y] - 1
            self.board[x * self.columns + y] = OWN if ply % 2 == self.side else OPPONENT
            self.top[y] -= 1
            if x == self.no_x + 1 and y == self.no_y:
                self.top[y] -= 1
            self.last_x, self.last_y = x, y
        self.moves = moves

    def check(self, x: int, y: int) -> None:
        """Refuse a point that is not where a stone of its column comes to rest."""
        said = f"getPoint returned ({x}, {y}), but "
        free = [(self.top[c] - 1, c) for c in range(self.columns) if self.top[c] > 0]
        legal = ": legal rows were " + ", ".join("{} in column {}".format(*at) for at in free)
        if not (0 <= x < self.rows and 0 <= y < self.columns):
            size = f"that is off the board of {self.rows} rows and {self.columns} columns"
            raise Illegal(said + size + legal)
        if self.top[y] <= 0:
            raise Illegal(said + f"column {y} is full" + legal)
        if (x, y) == (self.no_x, self.no_y):
            raise Illegal(said + "that is the forbidden cell" + legal)
        if x != self.top[y] - 1:
            falls = f"a stone in column {y} comes to rest on row {self.top[y] - 1}"
            raise Illegal(said + falls + legal)


class CourseHost(Host):
    """One strategy."""

    def __init__(self, folder: str, file: str) -> None:
        self.path = os.path.join(folder, file)
        self.get_point: Any = None
        self.clear_point: Any = None
        self.game: Message = {}
        self.position: Any = None

    def hello(self, message: Message) -> Message:
        """Load the library and introduce it."""
        load_runtime()
        try:
            library = ctypes.CDLL(self.path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
        except OSError as error:
            raise Failure(unloadable(str(error), self.path)) from error
        missing = [name for name in MANGLED if not hasattr(library, name)]
        if missing:
            text = "{}: {} has no function {}".format(
                INTERFACE_MISSING, self.path, " and no function ".join(missing)
            )
            if any(hasattr(library, MANGLED[name]) for name in missing):
                text += ' (it was compiled as C++: put extern "C" before it)'
            raise Failure(text)
        numbers = ctypes.POINTER(ctypes.c_int)
        number = ctypes.c_int
        self.get_point = library.getPoint
        self.get_point.argtypes = [number, number, numbers, numbers, number, number, number, number]
        self.get_point.restype = ctypes.POINTER(Point)
        self.clear_point = library.clearPoint
        self.clear_point.argtypes = [ctypes.POINTER(Point)]
        self.clear_point.restype = None
        name = os.path.splitext(os.path.basename(self.path))[0]
        return {"type": "hello", "name": name, "budgets": ["any"]}

    def new_game(self, message: Message) -> Message:
        """Prepare for a game."""
        self.game = message
        self.position = Position(message)
        return {"type": "ready"}

    def move(self, message: Message) -> Message:
        """Show the strategy the position and take its point."""
        moves = message["moves"]
        position = self.position
        if moves[: len(position.moves)] != position.moves:
            position = self.position = Position(self.game)
        position.follow(moves)
        x, y = in_clear_point(self.clear_point, in_get_point(self.get_point, position))
        position.check(x, y)
        return {"type": "move", "ply": message["ply"], "column": y}


# The names of the next two are what the author of a strategy that crashes reads.


def in_get_point(get_point: Any, position: Position) -> Any:
    """Call the strategy with arrays of its own, which it may overwrite."""
    top = type(position.top)(*position.top)
    board = type(position.board).from_buffer_copy(position.board)
    answer = get_point(
        position.rows,
        position.columns,
        top,
        board,
        position.last_x,
        position.last_y,
        position.no_x,
        position.no_y,
    )
    if not answer:
        raise Failure("getPoint returned a null pointer")
    return answer


def in_clear_point(clear_point: Any, answer: Any) -> Any:
    """Read the point, then let the strategy free it."""
    point = (answer.contents.x, answer.contents.y)
    clear_point(answer)
    return point


def load_runtime() -> None:
    """Make the C++ run-time library visible to the strategy, where the system has it.

    The course's own match program brings it, so that its sample strategies were linked without.
    """
    for name in RUNTIME:
        with contextlib.suppress(OSError):
            ctypes.CDLL(name, mode=os.RTLD_GLOBAL)


def unloadable(error: str, path: str) -> str:
    """Why a library cannot be loaded, and what its author can do about it."""
    said = "the library cannot be loaded: "
    file = os.path.basename(path)
    missing, absent = UNDEFINED.search(error), ABSENT.search(error)
    if missing is not None:
        name = missing.group(1)
        return said + (
            f"the function or variable {name} is in none of the libraries that it names: link it "
            "with the object or library that holds it, such as -lstdc++ for C++ or -lm for "
            f"mathematics (`ldd -r {file}` lists all that is missing, `c++filt {name}` tells its "
            "name in C++)"
        )
    if absent is not None and not error.startswith(path):
        return said + (
            f"it needs {absent.group(1)}, which is not on this system (`ldd {file}` lists all "
            "that it needs): install that, or link it statically"
        )
    if any(word in error for word in OTHER_SYSTEM):
        return f"{said}{error}: it was made for another system, compile it on this one"
    return said + error


if __name__ == "__main__":
    # After a segmentation fault the stack says in which of its functions the strategy was.
    faulthandler.enable(all_threads=False)
    serve(CourseHost(*sys.argv[1:]))
    # Not the interpreter's own end: a strategy's destructors must not hold it up.
    os._exit(0)
