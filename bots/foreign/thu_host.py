"""Hosts a course strategy, a shared library: ``python start_host.py thu FOLDER FILE.so``.

    extern "C" Point* getPoint(const int M, const int N, const int* top, const int* board,
                               const int lastX, const int lastY, const int noX, const int noY);
    extern "C" void clearPoint(Point* p);            // struct Point { int x, y; };

The coordinates are those of `course_board`.

Self-contained: the standard library of Python 3.8, and no package of this project.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import re
from typing import Any

from .course_board import CourseBoard
from .elf_file import load_bytes
from .host_loop import Failure, Host, Message

INTERFACE_MISSING = "the course's interface is missing"
"""Beginning of the message about a missing function, which selects the course's result code."""
MANGLED = {"getPoint": "_Z8getPointiiPKiS0_iiii", "clearPoint": "_Z10clearPointP5Point"}
"""Mangled names of the functions without ``extern "C"``."""
RUNTIME = ("libstdc++.so.6", "libm.so.6")
UNDEFINED = re.compile(r"undefined symbol: ([^\s,()]+)")
OTHER_SYSTEM = ("version `", "wrong ELF class", "invalid ELF header")
NO_ROOM = ("failed to map segment", "cannot map zero-fill", "Cannot allocate memory")
ABSENT = re.compile(r"^([^\s:]+): cannot open shared object file")


class Point(ctypes.Structure):
    """The struct `Point` of the course."""

    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_int))


class CourseHost(Host):
    """The host of one strategy."""

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
        self.position = CourseBoard(message)
        return {"type": "ready"}

    def move(self, message: Message) -> Message:
        """Show the strategy the position and return its point."""
        moves = message["moves"]
        position = self.position
        if moves[: len(position.moves)] != position.moves:
            position = self.position = CourseBoard(self.game)
        position.follow(moves)
        x, y = in_clear_point(self.clear_point, in_get_point(self.get_point, position))
        position.check(x, y, "getPoint returned")
        return {"type": "move", "ply": message["ply"], "column": y}

    def close(self) -> None:
        """Exit at once, as a strategy's destructors could block the interpreter's shutdown."""
        os._exit(0)


# The author of a crashing strategy reads these function names in its traceback.


def in_get_point(get_point: Any, position: CourseBoard) -> Any:
    """Call the strategy with copies of the arrays, which it may overwrite."""
    answer = get_point(
        position.rows,
        position.columns,
        (ctypes.c_int * len(position.top))(*position.top),
        (ctypes.c_int * len(position.cells))(*position.cells),
        *position.last,
        position.no_x,
        position.no_y,
    )
    if not answer:
        raise Failure("getPoint returned a null pointer")
    return answer


def in_clear_point(clear_point: Any, answer: Any) -> Any:
    """Let the strategy free its point, after reading it."""
    point = (answer.contents.x, answer.contents.y)
    clear_point(answer)
    return point


def load_runtime() -> None:
    """Load the C++ runtime library for the strategy, if the system has it.

    The course's sample strategies are not linked with it, as the course's match program loads it.
    """
    for name in RUNTIME:
        with contextlib.suppress(OSError):
            ctypes.CDLL(name, mode=os.RTLD_GLOBAL)


def unloadable(error: str, path: str) -> str:
    """Explain why a library cannot be loaded, and what its author can do."""
    problem = "the library cannot be loaded: "
    file = os.path.basename(path)
    missing, absent = UNDEFINED.search(error), ABSENT.search(error)
    if missing is not None:
        name = missing.group(1)
        return problem + (
            f"the function or variable {name} is in none of the libraries that it names: link it "
            "with the object or library that holds it, such as -lstdc++ for C++ or -lm for "
            f"mathematics (`ldd -r {file}` lists all that is missing, `c++filt {name}` tells its "
            "name in C++)"
        )
    if absent is not None and not error.startswith(path):
        return problem + (
            f"it needs {absent.group(1)}, which is not on this system (`ldd {file}` lists all "
            "that it needs): install that, or link it statically"
        )
    if any(word in error for word in NO_ROOM):
        return problem + (
            f"{error}: its code and static memory take {load_bytes(path) >> 20:,} MiB of address "
            "space, more than this machine grants a process: make its static arrays smaller"
        )
    if any(word in error for word in OTHER_SYSTEM):
        return f"{problem}{error}: it was made for another system, compile it on this one"
    return problem + error


def make_host(folder: str, file: str) -> Host:
    """Return the host of the library of a file in the folder."""
    # After a segmentation fault the stack names the strategy's function.
    faulthandler.enable(all_threads=False)
    return CourseHost(folder, file)
